"""Shards over a mesh of one device, as what is written for many does: shardings, shard_map, collectives, pmap."""

import sys

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P, SingleDeviceSharding


def main():
    mesh = Mesh(np.array(jax.devices()[:1]).reshape(1, 1), ("data", "model"))
    rows, everywhere = NamedSharding(mesh, P("data")), NamedSharding(mesh, P())
    x = jax.device_put(np.arange(24, dtype=np.float32).reshape(6, 4), rows)
    w = jax.device_put(np.linspace(-1, 1, 12, dtype=np.float32).reshape(4, 3), everywhere)

    @jax.jit
    def layer(x, w):
        return jax.lax.with_sharding_constraint(jnp.tanh(x @ w), rows)

    @jax.jit
    @jax.shard_map(mesh=mesh, in_specs=(P("data"), P(None, "model")), out_specs=P("data", "model"))
    def normalized(x, w):
        y = x @ w
        mean = jax.lax.pmean(y.mean(axis=0), "data")
        largest = jax.lax.pmax(jax.lax.stop_gradient(y).max(), ("data", "model"))
        gathered = jax.lax.all_gather(y, "model", axis=1, tiled=True)
        return (y - mean) / largest + jax.lax.axis_index("data") + gathered.sum() * 0

    @jax.shard_map(mesh=mesh, in_specs=P("data"), out_specs=P("data"))
    def shuffled(x):
        scattered = jax.lax.psum_scatter(x, "data", tiled=True)
        return jax.lax.ppermute(scattered, "data", [(0, 0)]) + jax.lax.all_to_all(x, "data", 0, 0, tiled=True)

    step = jax.jit(lambda w, x: w - 0.1 * jax.grad(lambda w: (layer(x, w) ** 2).mean())(w),
                   in_shardings=(everywhere, rows), out_shardings=everywhere, donate_argnums=0)
    trained = w + 0
    for _ in range(5):
        trained = step(trained, x)
    made = jax.make_array_from_callback((4, 2), rows, lambda index: np.ones((4, 2), np.float32)[index] * 3)
    moved = jax.device_put(x, SingleDeviceSharding(jax.devices()[0]))
    mapped = jax.pmap(lambda a: a / jax.lax.psum(a, "i"), axis_name="i")(jnp.arange(1.0, 4.0)[None])
    np.savez(sys.argv[1], layer=layer(x, w), normalized=normalized(x, w), shuffled=shuffled(x), trained=trained,
             made=made, moved=moved, mapped=mapped, shards=[shard.data for shard in x.addressable_shards],
             resharded=jax.device_put(x, everywhere), fully=x.is_fully_addressable, replicated=w.is_fully_replicated)


if __name__ == "__main__":
    main()
