"""Lowers and compiles ahead of time, asks about what was compiled, and calls it."""

import sys

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import serialize_executable


def function(x, y, scale):
    return {"product": (x @ y) * scale, "sum": x.sum()}


def main():
    x, y = jnp.ones((3, 4)), jnp.linspace(0, 1, 8).reshape(4, 2)
    traced = jax.jit(function, static_argnums=2).trace(x, y, 3.0)
    lowered = traced.lower()
    compiled = lowered.compile()
    results = compiled(x, y)
    try:
        compiled(x, y.T)
        refused = "nothing"
    except TypeError:
        refused = "TypeError"
    try:
        compiled(x, y.astype(jnp.bfloat16))
        refused += ", nothing"
    except TypeError:
        refused += ", TypeError"
    loaded = serialize_executable.deserialize_and_load(*serialize_executable.serialize(compiled))
    abstract = jax.jit(lambda a: jnp.sort(a)[::-1]).lower(jax.ShapeDtypeStruct((6,), jnp.int32)).compile()
    np.savez(sys.argv[1], **results, refused=refused, sorted=abstract(jnp.array([3, 1, 4, 1, 5, 9])),
             is_stablehlo="stablehlo.dot_general" in lowered.as_text(), jaxpr=str(traced.jaxpr).count("dot_general"),
             out_shape=lowered.out_info["product"].shape, loaded=loaded(x, y)["product"],
             input_shardings=len(compiled.input_shardings[0]), text_is_there=bool(compiled.as_text()),
             profile_is_there=bool(jax.profiler.device_memory_profile()))


if __name__ == "__main__":
    main()
