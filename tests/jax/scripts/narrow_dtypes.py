"""Computes with dtypes below 32 bits: bfloat16, float16, the 8-bit floats, and integers of 4 and of 8 bits."""

import sys

import jax
import jax.numpy as jnp
import numpy as np

FLOATS = ("bfloat16", "float16", "float8_e4m3fn", "float8_e5m2", "float8_e4m3b11fnuz", "float8_e4m3fnuz",
          "float8_e5m2fnuz")
INTEGERS = ("int4", "uint4", "int8", "uint8", "int16", "uint16")


def main():
    x = jnp.linspace(-3, 3, 24).reshape(4, 6)
    results = {}
    for name in FLOATS:
        narrow = jax.jit(lambda v, name=name: v.astype(name))(x)
        put = jax.device_put(np.asarray(x).astype(narrow.dtype))  # converted by NumPy, so the bits must be the same
        results[f"{name}_bits"] = np.asarray(narrow).view(np.uint8)
        results[f"{name}_equal"] = np.asarray(put).tobytes() == np.asarray(narrow).tobytes()
        results[f"{name}_sum"] = jax.jit(lambda a, b: (a + b).astype(jnp.float32))(narrow, put)
        results[f"{name}_product"] = jax.jit(
            lambda a: jnp.matmul(a, a.T, preferred_element_type=jnp.float32))(narrow)
        results[f"{name}_greatest"] = narrow.max().astype(jnp.float32)
        results[f"{name}_sorted"] = jnp.sort(narrow.ravel()).astype(jnp.float32)
    for name in INTEGERS:
        limits = jnp.iinfo(name)
        narrow = jnp.arange(20).astype(name)
        results[f"{name}_wrapped"] = (narrow + narrow).astype(jnp.int32)
        results[f"{name}_product"] = (narrow * narrow).astype(jnp.int32)
        results[f"{name}_sum"] = narrow.sum(dtype=jnp.int32)
        results[f"{name}_limits"] = jnp.array([limits.min, limits.max], name).astype(jnp.int32)
        results[f"{name}_fetched"] = np.asarray(narrow[3:9]).astype(np.int32)
        table = jax.device_put(np.arange(6).astype(narrow.dtype))
        results[f"{name}_table"] = table[jnp.array([5, 0, 2])].astype(jnp.int32)
        if limits.bits > 4:  # XLA's CPU platform fails with narrower operands
            results[f"{name}_dot"] = jax.lax.dot(narrow.reshape(4, 5), narrow.reshape(5, 4),
                                                 preferred_element_type=jnp.int32)
    half = x.astype(jnp.bfloat16)
    results["mixed"] = (half * jnp.float32(1.5)).astype(jnp.float32)
    results["gradient"] = jax.grad(lambda v: (jax.nn.gelu(v) @ v.T).sum().astype(jnp.float32))(half).astype(jnp.float32)
    results["mean"] = x.astype(jnp.float16).mean(axis=0)
    results["float4"] = jnp.array([0.5, 1.4, -6, 2.6]).astype(jnp.float4_e2m1fn).astype(jnp.float32)
    np.savez(sys.argv[1], **results)


if __name__ == "__main__":
    main()
