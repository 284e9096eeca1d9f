"""Python functions that programs call: pure_callback in gradients, vmap and loops, ordered io_callback, debug.print."""

import sys

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import io_callback


@jax.custom_jvp
def host_sin(x):
    shape = jax.ShapeDtypeStruct(x.shape, x.dtype)
    return jax.pure_callback(np.sin, shape, x, vmap_method="sequential")


@host_sin.defjvp
def host_sin_jvp(primals, tangents):
    (x,), (dx,) = primals, tangents
    return host_sin(x), jnp.cos(x) * dx


@jax.jit
def iterate(x):
    return jax.lax.fori_loop(0, 5, lambda i, y: host_sin(y) + 0.1 * i, x)


@jax.jit
def chosen(flag, x):
    return jax.lax.cond(flag, lambda v: host_sin(v), lambda v: v * 2, x)


def history():
    """The order in which ordered callbacks come, over several programs."""
    seen = []

    @jax.jit
    def record(x):
        io_callback(lambda v: seen.append(int(v)), None, x, ordered=True)
        io_callback(lambda v: seen.append(int(v) + 100), None, x * 2, ordered=True)
        return x + 1

    x = jnp.int32(0)
    for _ in range(4):
        x = record(x)
    jax.effects_barrier()
    return np.array(seen)


@jax.jit
def printing(n):
    def body(i, total):
        jax.debug.print("step {} total {}", i, total, ordered=True)
        return total + i

    return jax.lax.fori_loop(0, n, body, 0)


def dtypes():
    """One value of each type there and back."""
    results = {}
    for name in ("bool", "int8", "uint16", "int32", "float16", "bfloat16", "float32", "complex64"):
        values = jnp.array([[0, 1], [1, 1]]).astype(name)
        shape = jax.ShapeDtypeStruct(values.shape, values.dtype)
        there_and_back = jax.jit(lambda v, shape=shape: jax.pure_callback(lambda a: np.asarray(a), shape, v))(values)
        assert there_and_back.dtype == values.dtype
        results[f"type_{name}"] = np.asarray(there_and_back.astype("complex64"))
    return results


def what_raises():
    def fail(_):
        raise ValueError("this function does not work")

    program = jax.jit(lambda x: jax.pure_callback(fail, jax.ShapeDtypeStruct((), jnp.float32), x))
    try:
        program(1.0).block_until_ready()
    except Exception as error:  # noqa: BLE001  JAX's platforms raise different classes
        return "this function does not work" in str(error)
    return False


def main():
    x = jnp.linspace(0.0, 2.0, 7)
    total = printing(3)
    jax.effects_barrier()
    large = jax.jit(lambda v: jax.pure_callback(lambda a: np.asarray(a)[::-1] * 2, v, v))(jnp.arange(300_000.0))
    np.savez(sys.argv[1], iterated=iterate(x), gradient=jax.grad(lambda v: iterate(v).sum())(x),
             batched=jax.vmap(host_sin)(jnp.stack([x, x + 1])), taken=chosen(True, x), left=chosen(False, x),
             history=history(), total=total, large=large, raises=what_raises(), **dtypes())


if __name__ == "__main__":
    main()
