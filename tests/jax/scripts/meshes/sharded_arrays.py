"""Ops on arrays that are divided over devices, without jit: arithmetic, indexing, reductions, sorting, products, random
numbers; and arrays that move between meshes."""

import sys

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P, SingleDeviceSharding

OPS = {
    "plus": lambda x: x + 1, "minus": lambda x: x - x.mean(), "times": lambda x: x * x, "power": lambda x: x ** 2,
    "compare": lambda x: x > 0, "select": lambda x: jnp.where(x > 0, x, -x), "round": jnp.round, "exp": jnp.exp,
    "row": lambda x: x[0], "last": lambda x: x[-1], "item": lambda x: x[3, 2], "rows": lambda x: x[2:7],
    "columns": lambda x: x[:, 1::2], "reversed": lambda x: x[::-1], "chosen": lambda x: x[jnp.array([5, 0, 7])],
    "set": lambda x: x.at[3].set(7), "add": lambda x: x.at[jnp.array([1, 1, 6]), 2].add(1),
    "new": lambda x: x[None, :, None],
    "sum": lambda x: x.sum(), "sums": lambda x: x.sum(0), "max": lambda x: x.max(1), "argmax": lambda x: x.argmax(0),
    "prod": lambda x: jnp.prod(x, axis=1), "cumsum": lambda x: jnp.cumsum(x, axis=0), "std": lambda x: x.std(),
    "any": lambda x: jnp.any(x > 2), "norm": jnp.linalg.norm, "sort": lambda x: jnp.sort(x, axis=0),
    "argsort": lambda x: jnp.argsort(x, axis=1), "median": lambda x: jnp.median(x, axis=0),
    "unique": lambda x: jnp.unique(jnp.sign(x)),
    "transposed": lambda x: x.T, "reshaped": lambda x: x.reshape(4, 16), "flat": lambda x: x.ravel(),
    "split": lambda x: jnp.split(x, 2)[1], "stack": lambda x: jnp.stack([x, -x]),
    "concat": lambda x: jnp.concatenate([x, x[:4]]),
    "roll": lambda x: jnp.roll(x, 3, axis=0), "pad": lambda x: jnp.pad(x, 1), "tile": lambda x: jnp.tile(x, (2, 1)),
    "product": lambda x: x @ x, "vector": lambda x: x @ x[0], "einsum": lambda x: jnp.einsum("ij,kj->ik", x, x),
    "outer": lambda x: jnp.outer(x[0], x[1]), "softmax": jax.nn.softmax, "fft": lambda x: jnp.fft.fft(x).real,
    "solve": lambda x: jnp.linalg.solve(x + 9 * jnp.eye(8), x), "cast": lambda x: x.astype(jnp.int32),
    "half": lambda x: x.astype(jnp.bfloat16).astype(jnp.float32),
    "random": lambda x: x + jax.random.normal(jax.random.key(0), x.shape),
    "windows": lambda x: jnp.convolve(x[:, 0], jnp.ones(3)),
}


def main():
    mesh = Mesh(np.array(jax.devices()[:4]).reshape(2, 2), ("x", "y"))
    values = np.random.default_rng(0).normal(size=(8, 8)).astype(np.float32)
    results = {}
    for placed, spec in (("both", P("x", "y")), ("rows", P(("y", "x")))):
        x = jax.device_put(values, NamedSharding(mesh, spec))
        np.testing.assert_array_equal(x, values)
        for name, op in OPS.items():
            result = results[f"{name}_{placed}"] = np.asarray(op(x))
            np.testing.assert_allclose(result, op(jnp.asarray(values)), rtol=1e-4, atol=1e-4, err_msg=name)
        assert [float(row[0]) for row in x] == values[:, 0].tolist()
        assert f"{x[1, 1]:.3f}" == f"{values[1, 1]:.3f}" and x.nbytes == values.nbytes
        for shard in x.addressable_shards:
            np.testing.assert_array_equal(shard.data, values[shard.index])
            assert shard.data.devices() == {shard.device}
    x = jax.device_put(values, NamedSharding(mesh, P("x", "y")))
    # In another order, on fewer devices, on one and back.
    mirrored = Mesh(np.array(jax.devices()[:4])[::-1].reshape(4), ("z",))
    pair = Mesh(np.array(jax.devices()[1:3]), ("z",))
    for sharding in (NamedSharding(mesh, P("y")), NamedSharding(mirrored, P(None, "z")), NamedSharding(pair, P("z")),
                     SingleDeviceSharding(jax.devices()[3]), NamedSharding(mirrored, P("z")), NamedSharding(mesh, P())):
        x = jax.device_put(x, sharding)
        assert x.sharding.is_equivalent_to(sharding, 2), (x.sharding, sharding)
        np.testing.assert_array_equal(x, values)
        np.testing.assert_allclose(x + x.sum(), values + values.sum(), rtol=1e-4, atol=1e-4)
    results["moved"] = x
    made = jax.make_array_from_callback((8, 4), NamedSharding(mesh, P("x", "y")), lambda index: values[index] * 2)
    np.testing.assert_array_equal(made, values[:, :4] * 2)
    parts = [jax.device_put(values[2 * i:2 * i + 2], device) for i, device in enumerate(mirrored.devices)]
    joined = jax.make_array_from_single_device_arrays((8, 8), NamedSharding(mirrored, P("z")), parts)
    results |= {"made": made, "joined": joined, "doubled": joined * 2,
                "added": jax.random.uniform(jax.random.key(1), (8, 8)) + made.sum()}
    np.savez(sys.argv[1], **results)


if __name__ == "__main__":
    main()
