"""Every collective of jax.lax in shard_map, along one axis of a mesh and along both, and their derivatives."""

import sys

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

MESH = Mesh(np.array(jax.devices()[:4]).reshape(2, 2), ("x", "y"))
BOTH = ("x", "y")


def mapped(function, out_specs=P("x", "y"), in_specs=P("x", "y"), **options):
    return jax.jit(jax.shard_map(function, mesh=MESH, in_specs=in_specs, out_specs=out_specs, **options))


def from_second(x):
    """What pbroadcast does, for platforms that have it not."""
    if jax.default_backend() == "acceld":
        return lax.pbroadcast(x, "y", 1)
    return lax.psum(jnp.where(lax.axis_index("y") == 1, x, 0), "y")


FUNCTIONS = {
    "psum": lambda x: lax.psum(x, "x") + x * 0,
    "psum_both": lambda x: lax.psum(x, BOTH) + x * 0,
    "psum_of_two": lambda x: sum(lax.psum((x, x.sum(keepdims=True)), "y")),
    "pmean": lambda x: x - lax.pmean(x, "y"),
    "pmax": lambda x: x - lax.pmax(x, "x"),
    "pmin": lambda x: x - lax.pmin(x, BOTH),
    "all_gather": lambda x: lax.all_gather(x, "x").sum(0) * x,
    "all_gather_tiled": lambda x: lax.all_gather(x, "y", axis=1, tiled=True)[:, ::2] + x,
    "all_gather_both": lambda x: lax.all_gather(x, BOTH)[2] + x,
    "psum_scatter": lambda x: jnp.tile(lax.psum_scatter(x, "x", tiled=True), (2, 1)) + x,
    "psum_scatter_1": lambda x: jnp.tile(lax.psum_scatter(x, "y", scatter_dimension=1, tiled=True), (1, 2)),
    "ppermute": lambda x: lax.ppermute(x, "x", [(0, 1), (1, 0)]),
    "ppermute_both": lambda x: lax.ppermute(x, BOTH, [(0, 1), (1, 2), (2, 3)]),
    "pshuffle": lambda x: lax.pshuffle(x, "y", [1, 0]),
    "pswapaxes": lambda x: lax.pswapaxes(x.reshape(4, 2, 2), "y", 2).reshape(4, 4),
    "all_to_all": lambda x: lax.all_to_all(x, "x", 0, 1, tiled=True).reshape(x.shape),
    "all_to_all_both": lambda x: lax.all_to_all(x, BOTH, 1, 0, tiled=True).reshape(x.shape),
    "axis_index": lambda x: x + 10 * lax.axis_index("x") + lax.axis_index("y") + 100 * lax.axis_index(BOTH),
    "axis_size": lambda x: x * lax.axis_size("x"),
    "loop": lambda x: lax.fori_loop(
        0, 5, lambda i, y: lax.ppermute(y, "y", [(0, 1), (1, 0)]) + lax.psum(y, "x") * 0.1, x),
    "branch": lambda x: lax.cond(lax.psum(x, BOTH).sum() > 0, lambda y: lax.psum(y, "x") + y, lambda y: y * 2, x),
    "until": lambda x: lax.while_loop(lambda y: lax.pmax(jnp.abs(y).max(), BOTH) < 100, lambda y: y * 2, x),
}


def main():
    x = np.random.default_rng(0).normal(size=(8, 8)).astype(np.float32)
    divided = jax.device_put(x, NamedSharding(MESH, P("x", "y")))
    results = {name: mapped(function, check_vma=False)(divided) for name, function in FUNCTIONS.items()}
    np.testing.assert_allclose(results["psum"], np.concatenate([x[:4] + x[4:]] * 2), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(results["ppermute"], np.concatenate([x[4:], x[:4]]))
    results["broadcast"] = mapped(from_second, check_vma=False)(divided)
    np.testing.assert_allclose(results["broadcast"], np.concatenate([x[:, 4:]] * 2, axis=1))
    np.testing.assert_allclose(mapped(lambda x: lax.psum(x.sum(), BOTH), P())(divided), x.sum(), rtol=1e-4)
    groups = [[0, 1], [2, 3]]
    flat = Mesh(MESH.devices.reshape(4), ("i",))
    results["groups"] = jax.jit(jax.shard_map(
        lambda x: lax.psum(x, "i", axis_index_groups=groups) + lax.all_gather(x, "i", axis_index_groups=groups).sum(0),
        mesh=flat, in_specs=P("i"), out_specs=P("i"), check_vma=False))(x)

    def loss(x):
        def local(x):
            y = jnp.sin(x) * lax.psum(x, "x") + lax.all_gather(x, "y", axis=1, tiled=True)[:, :4]
            return lax.pmean((lax.ppermute(y, "y", [(0, 1), (1, 0)]) ** 2).sum(), BOTH)
        return jax.shard_map(local, mesh=MESH, in_specs=P("x", "y"), out_specs=P())(x)

    results["gradient"] = jax.jit(jax.grad(loss))(divided)
    nudge = np.zeros_like(x)
    nudge[5, 2] = 1e-2
    numeric = (jax.jit(loss)(x + nudge) - jax.jit(loss)(x - nudge)) / 2e-2
    np.testing.assert_allclose(results["gradient"][5, 2], numeric, rtol=2e-2, atol=1e-2)
    for name, dtype in (("integers", np.int32), ("small", np.int8), ("halves", jnp.bfloat16), ("truths", np.bool_)):
        values = jnp.asarray(x * 3).astype(dtype)
        reduce = lax.pmax if dtype == np.bool_ else lax.psum
        results[name] = mapped(lambda v: reduce(v, "x"), P(None, "y"))(values).astype(np.float32)
    # Some axes of the mesh are left to the compiler.
    results["partly"] = jax.jit(jax.shard_map(lambda x: jnp.sin(x) @ jnp.ones((8, 8)) + lax.psum(x, "x"), mesh=MESH,
                                              in_specs=P("x"), out_specs=P("x"), axis_names={"x"}))(divided)
    np.savez(sys.argv[1], **results)


if __name__ == "__main__":
    main()
