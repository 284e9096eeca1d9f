"""Is told of NaNs and infinities where they come up, with jax_debug_nans and jax_debug_infs."""

import sys

import jax
import jax.numpy as jnp
import numpy as np


@jax.jit
def difference_of_logarithms(x, y):
    return jnp.log(x) - jnp.log(y)


def outcome(function, *arguments):
    try:
        return str(np.asarray(function(*arguments)).round(3).tolist())
    except FloatingPointError as error:
        return f"{type(error).__name__}: {str(error)[:40]}"


def main():
    said = [outcome(difference_of_logarithms, 1.0, -1.0)]
    jax.config.update("jax_debug_nans", True)
    said.append(outcome(difference_of_logarithms, 1.0, 2.0))
    said.append(outcome(difference_of_logarithms, 1.0, -1.0))
    said.append(outcome(jax.grad(jnp.sqrt), -1.0))
    said.append(outcome(difference_of_logarithms, 0.0, 1.0))
    jax.config.update("jax_debug_nans", False)
    jax.config.update("jax_debug_infs", True)
    said.append(outcome(difference_of_logarithms, 0.0, 1.0))
    said.append(outcome(difference_of_logarithms, 3.0, 1.0))
    np.savez(sys.argv[1], said=said)


if __name__ == "__main__":
    main()
