"""Finds errors inside compiled functions with checkify: of checks of the user's, of indices, NaNs and divisions."""

import sys

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import checkify


def root(x):
    checkify.check(jnp.all(x >= 0), "negative: {smallest}", smallest=x.min())
    return jnp.sqrt(x)


def pick(x, i):
    return x[i] / x[0]


def count_down(x):
    def body(carry):
        checkify.check(carry > -3, "below: {carry}", carry=carry)
        return carry - 1

    return jax.lax.while_loop(lambda carry: carry > -5, body, x)


def main():
    messages, values = [], []
    checked = checkify.checkify(jax.jit(pick), errors=checkify.all_checks)
    ones = jnp.ones(3)
    for function, arguments in (
            (checkify.checkify(jax.jit(root)), (jnp.arange(3.0),)),
            (checkify.checkify(jax.jit(root)), (jnp.arange(3.0) - 1,)),
            (checked, (ones, 1)), (checked, (ones, 7)), (checked, (jnp.zeros(3), 1)),
            (checked, (jnp.array([1.0, jnp.nan, 1.0]), 1)),
            (checkify.checkify(jax.jit(count_down)), (2,)),
            (checkify.checkify(jax.vmap(jax.jit(root))), (jnp.array([[4.0, 9.0], [1.0, -1.0]]),))):
        error, value = function(*arguments)
        messages.append((error.get() or "none").split("\n")[0].split(" (")[0])
        values.append(np.ravel(value)[0])
    try:
        checkify.check_error(checkify.checkify(root)(-jnp.ones(2))[0])
    except checkify.JaxRuntimeError as error:
        messages.append(type(error).__name__)
    np.savez(sys.argv[1], messages=messages, values=np.float32(values))


if __name__ == "__main__":
    main()
