"""A network whose layers are on different devices: batches pass through them one after the other, and all devices work
at the same time on different batches; forward and gradients, as on one device."""

import sys

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

STAGES, BATCHES, BATCH, WIDTH = 4, 6, 5, 8


def layer(weights, x):
    return x + jnp.tanh(x @ weights["w"] + weights["b"])


def one_after_the_other(weights, x):
    return lax.scan(lambda x, w: (layer(w, x), None), x.reshape(-1, WIDTH), weights)[0].reshape(x.shape)


def pipeline(weights, x):
    """Of one device, which has the weights of one layer and all batches."""
    weights = jax.tree.map(lambda w: w[0], weights)
    stage = lax.axis_index("stage")
    forward = [(i, (i + 1) % STAGES) for i in range(STAGES)]

    def turn(carry, i):
        arriving, done = carry
        y = layer(weights, jnp.where(stage == 0, x[jnp.minimum(i, BATCHES - 1)], arriving))
        batch = i - (STAGES - 1)
        is_result = (stage == STAGES - 1) & (batch >= 0)
        place = jnp.maximum(batch, 0)
        done = done.at[place].set(jnp.where(is_result, y, done[place]))
        return (lax.ppermute(y, "stage", forward), done), None

    start = lax.pcast((jnp.zeros((BATCH, WIDTH)), jnp.zeros_like(x)), "stage", to="varying")
    (_, done), _ = lax.scan(turn, start, jnp.arange(BATCHES + STAGES - 1))
    return lax.psum(done, "stage")  # it is zero on all devices but the last


def main():
    mesh = Mesh(np.array(jax.devices()[:STAGES]), ("stage",))
    key = jax.random.key(0)
    weights = {"w": jax.random.normal(key, (STAGES, WIDTH, WIDTH)) / 3, "b": jnp.ones((STAGES, WIDTH)) / 10}
    x = jax.random.normal(jax.random.key(1), (BATCHES, BATCH, WIDTH))
    through = jax.shard_map(pipeline, mesh=mesh, in_specs=(P("stage"), P()), out_specs=P())
    divided = jax.device_put(weights, NamedSharding(mesh, P("stage")))
    output = jax.jit(through)(divided, x)
    np.testing.assert_allclose(output, jax.jit(one_after_the_other)(weights, x), rtol=1e-4, atol=1e-5)

    def gradients_of(function):
        return jax.jit(jax.grad(lambda weights, x: (function(weights, x) ** 2).sum(), argnums=(0, 1)))

    gradients, of_x = gradients_of(through)(divided, x)
    expected, expected_of_x = gradients_of(one_after_the_other)(weights, x)
    np.testing.assert_allclose(of_x, expected_of_x, rtol=1e-3, atol=1e-3)
    for name in weights:
        np.testing.assert_allclose(gradients[name], expected[name], rtol=1e-3, atol=1e-3)
        assert gradients[name].sharding.is_equivalent_to(divided[name].sharding, gradients[name].ndim)
    np.savez(sys.argv[1], output=output, of_x=of_x, **gradients)


if __name__ == "__main__":
    main()
