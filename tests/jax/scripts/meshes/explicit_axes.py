"""Meshes whose axes are explicit: the types of arrays say how they are distributed, and programs change it where they
say so."""

import sys

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P, reshard


def main():
    mesh = jax.make_mesh((2, 2), ("x", "y"), devices=jax.devices()[:4],
                         axis_types=(AxisType.Explicit, AxisType.Explicit))
    values = np.random.default_rng(0).normal(size=(8, 8)).astype(np.float32)
    weights = np.random.default_rng(1).normal(size=(8, 4)).astype(np.float32)
    with jax.set_mesh(mesh):
        x = jax.device_put(values, NamedSharding(mesh, P("x", None)))
        w = jax.device_put(weights, NamedSharding(mesh, P(None, "y")))
        assert jax.typeof(x).sharding.spec == P("x", None)

        @jax.jit
        def layer(x, w):
            y = jnp.tanh(x @ w)
            assert jax.typeof(y).sharding.spec == P("x", "y")
            return y, y.sum(1), jnp.where(y > 0, y, 0).T

        y, sums, transposed = layer(x, w)
        assert y.sharding.spec == P("x", "y") and transposed.sharding.spec == P("y", "x")
        np.testing.assert_allclose(y, np.tanh(values @ weights), rtol=1e-4, atol=1e-5)

        @jax.jit
        def contracted(x, w):
            x, w = reshard(x, P(None, "y")), reshard(w, P("y", None))
            return jnp.dot(x, w, out_sharding=P("x", None)), jnp.dot(x, w, out_sharding=P())

        divided, whole = contracted(x, w)
        assert divided.sharding.spec == P("x", None)
        np.testing.assert_allclose(divided, values @ weights, rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(whole, divided, rtol=1e-4, atol=1e-5)
        text = contracted.lower(x, w).compile().as_text()
        assert "all-reduce" in text or "reduce-scatter" in text, text

        @jax.jit
        def in_parts(x, w):
            x, w = reshard(x, P(None, "y")), reshard(w, P("y", None))
            parts = jnp.dot(x, w, out_sharding=P("x", None, unreduced={"y"}))
            return parts + parts

        parts = in_parts(x, w)
        assert parts.sharding.spec == P("x", None, unreduced={"y"}), parts.sharding
        half = weights.shape[0] // 2
        for i, shard in enumerate(parts.addressable_shards):
            rows, columns = slice(4 * (i // 2), 4 * (i // 2) + 4), slice(half * (i % 2), half * (i % 2) + half)
            np.testing.assert_allclose(shard.data, 2 * values[rows, columns] @ weights[columns], rtol=1e-4, atol=1e-5)
        summed = reshard(parts, P("x", None))
        np.testing.assert_allclose(summed, 2 * values @ weights, rtol=1e-4, atol=1e-5)
        gradient = jax.jit(jax.grad(lambda w: (jnp.tanh(x @ w) ** 2).sum()))(w)
        assert gradient.sharding.spec == P(None, "y")
        scanned = jax.jit(lambda x: jax.lax.scan(lambda c, row: (c * 0.5 + row, None), x[:, 0] * 0, x.T)[0])(x)
        mapped = jax.jit(jax.shard_map(lambda x: x - jax.lax.pmean(x, "x"), out_specs=P("x", None)))(x)
        means = (values[:4] + values[4:]) / 2
        np.testing.assert_allclose(mapped, values - np.concatenate([means, means]), rtol=1e-4, atol=1e-5)
    np.savez(sys.argv[1], y=y, sums=sums, transposed=transposed, divided=divided, gradient=gradient, left=x[:, :4],
             scanned=scanned, mapped=mapped, summed=summed)


if __name__ == "__main__":
    main()
