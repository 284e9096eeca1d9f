"""Exports functions, with symbolic shapes and derivatives too, and calls what comes back from the bytes."""

import sys

import jax
import jax.numpy as jnp
import numpy as np
from jax import export


@jax.jit
def function(x, y):
    return jnp.tanh(x @ y).sum(axis=0), {"mean": x.mean()}


def main():
    x, y = jnp.linspace(0, 1, 12).reshape(3, 4), jnp.linspace(-1, 1, 20).reshape(4, 5)
    exported = export.export(function)(x, y)
    back = export.deserialize(exported.serialize(vjp_order=1))
    columns, rest = back.call(x, y)

    rows, = export.symbolic_shape("rows")
    shape = jax.ShapeDtypeStruct((rows, 4), jnp.float32)
    flexible = export.deserialize(export.export(jax.jit(lambda a: jnp.cumsum(a, 0) / a.shape[0]))(shape).serialize())
    inner = jax.jit(lambda a: back.call(a, y)[0] * 2)(x)
    gradient = jax.grad(lambda a: back.call(a, y)[0].sum())(x)
    np.savez(sys.argv[1], columns=columns, mean=rest["mean"], inner=inner, gradient=gradient,
             three=flexible.call(x), six=flexible.call(jnp.concatenate([x, x])),
             same_platform=list(back.platforms) == [jax.default_backend()],
             several=export.export(jax.jit(jnp.sin), platforms=("cpu", "cuda", "tpu", jax.default_backend()))(
                 jax.ShapeDtypeStruct((3,), jnp.float32)).call(x[0, :3]))


if __name__ == "__main__":
    main()
