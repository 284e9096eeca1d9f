"""Python functions that programs over several devices call: once with the whole value outside of shard_map, and once on
each device with its shard inside, or if the call is partitioned."""

import sys

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import io_callback
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

MESH = Mesh(np.array(jax.devices()[:4]).reshape(2, 2), ("x", "y"))
VALUES = np.arange(32, dtype=np.float32).reshape(8, 4)


def mapped(function, out_specs=P("x", "y")):
    return jax.jit(jax.shard_map(function, mesh=MESH, in_specs=P("x", "y"), out_specs=out_specs, check_vma=False))


def exchanged(x):
    return lax.ppermute(x, "x", [(0, 1), (1, 0)])


def like(x):
    return jax.ShapeDtypeStruct(x.shape, x.dtype)


def shapes_of_calls(program, x):
    """The result, and the shapes with which Python is called."""
    shapes = []

    def host(value):
        shapes.append(np.shape(value))
        return np.sin(value)

    result = program(host)(x)
    jax.block_until_ready(result)
    return result, sorted(shapes)


def recorded(program, x, *counts):
    """What a program records through its callbacks."""
    seen = []
    for _ in range(3):
        x = program(lambda *values: seen.append(tuple(np.asarray(value).tolist() for value in values)), x)
    jax.effects_barrier()
    return x, seen


def main():
    x = jax.device_put(VALUES, NamedSharding(MESH, P("x", "y")))
    results = {}
    results["whole"], shapes = shapes_of_calls(
        lambda host: jax.jit(lambda x: jax.pure_callback(host, like(x), x + 1) * 2), x)
    assert shapes == [(8, 4)], shapes
    np.testing.assert_allclose(results["whole"], np.sin(VALUES + 1) * 2, rtol=1e-6)
    results["shards"], shapes = shapes_of_calls(
        lambda host: mapped(lambda x: jax.pure_callback(host, like(x), x) + 1), x)
    assert shapes == [(4, 2)] * 4, shapes
    np.testing.assert_allclose(results["shards"], np.sin(VALUES) + 1, rtol=1e-6)
    results["between"], _ = shapes_of_calls(
        lambda host: mapped(lambda x: lax.psum(jax.pure_callback(host, like(x), exchanged(x)), "y")), x)
    results["looped"], shapes = shapes_of_calls(
        lambda host: jax.jit(lambda x: lax.fori_loop(0, 3, lambda i, y: jax.pure_callback(host, like(y), y), x)), x)
    assert shapes == [(8, 4)] * 3, shapes

    def in_order(record, x):
        @jax.jit
        def program(x):
            io_callback(record, None, x.sum(), ordered=True)
            io_callback(record, None, x[0, 0] + 0.5, ordered=True)
            return x + 1
        return program(x)

    results["counted"], seen = recorded(in_order, x)
    assert seen == [(value,) for turn in range(3) for value in (VALUES.sum() + 32 * turn, turn + 0.5)], seen

    def on_each(record, x):
        def local(x):
            io_callback(record, None, lax.axis_index("x"), lax.axis_index("y"), x.sum())
            return x * 2
        return mapped(local)(x)

    results["each"], seen = recorded(on_each, x)
    expected = sorted((i, j, float(VALUES[4 * i:4 * i + 4, 2 * j:2 * j + 2].sum() * 2 ** turn))
                      for turn in range(3) for i in range(2) for j in range(2))
    assert sorted(seen) == expected, seen

    @jax.jit
    def printing(x):
        jax.debug.print("the sum is {}", x.sum())
        return x.mean()

    results["printed"] = printing(x)
    jax.effects_barrier()

    parts = []

    @jax.jit
    def of_parts(x):
        jax.debug.callback(lambda part: parts.append(np.asarray(part)), x, partitioned=True)
        return x * 2

    results["partitioned"] = of_parts(x)
    jax.effects_barrier()
    expected = [VALUES[i:i + 4, j:j + 2] for i in (0, 4) for j in (0, 2)]
    np.testing.assert_array_equal(sorted(parts, key=lambda part: part[0, 0]), sorted(expected, key=lambda e: e[0, 0]))

    def fail(_):
        raise ValueError("this function does not work")

    try:
        jax.jit(lambda x: jax.pure_callback(fail, like(x), x))(x).block_until_ready()
        raise AssertionError("what the callback raises was not raised")
    except Exception as error:  # noqa: BLE001  JAX's platforms raise different classes
        assert "this function does not work" in str(error), error
    results["afterwards"] = x + 1
    np.savez(sys.argv[1], **results)


if __name__ == "__main__":
    main()
