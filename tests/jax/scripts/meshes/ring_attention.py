"""Attention over a sequence that is divided over devices: keys and values travel around the ring while each device
accumulates its part, forward and backward, as on one device."""

import functools
import sys

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

DEVICES = 4


def attention(query, key, value):
    scores = jnp.einsum("bqhd,bkhd->bhqk", query, key) / np.sqrt(query.shape[-1])
    length = query.shape[1]
    scores = jnp.where(jnp.tril(jnp.ones((length, length), bool)), scores, -jnp.inf)
    return jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(scores, axis=-1), value)


def ring_attention(query, key, value):
    """Of one device: it has as many queries as keys, those of its part of the sequence."""
    own, length = lax.axis_index("ring"), query.shape[1]
    places = own * length + jnp.arange(length)

    def turn(i, carry):
        key, value, total, weight, largest = carry
        scores = jnp.einsum("bqhd,bkhd->bhqk", query, key) / np.sqrt(query.shape[-1])
        key_places = (own - i) % DEVICES * length + jnp.arange(length)
        scores = jnp.where(places[:, None] >= key_places, scores, -1e30)
        now_largest = jnp.maximum(largest, scores.max(-1))
        shrink = jnp.exp(largest - now_largest)
        weights = jnp.exp(scores - now_largest[..., None])
        total = total * shrink[..., None] + jnp.einsum("bhqk,bkhd->bhqd", weights, value)
        weight = weight * shrink + weights.sum(-1)
        around = [(j, (j + 1) % DEVICES) for j in range(DEVICES)]
        key, value = (lax.ppermute(x, "ring", around) for x in (key, value))
        return key, value, total, weight, now_largest

    batch, _, heads, size = query.shape
    start = (jnp.zeros((batch, heads, length, size)), jnp.zeros((batch, heads, length)),
             jnp.full((batch, heads, length), -1e30))
    start = jax.tree.map(lambda x: x + 0 * query.sum(), start)  # they differ from device to device
    _, _, total, weight, _ = lax.fori_loop(0, DEVICES, turn, (key, value, *start))
    return (total / weight[..., None]).transpose(0, 2, 1, 3)


def main():
    mesh = Mesh(np.array(jax.devices()[:DEVICES]), ("ring",))
    spec = P(None, "ring")
    sharding = NamedSharding(mesh, spec)
    inputs = [jax.random.normal(jax.random.key(i), (2, 32, 3, 8)) for i in range(3)]
    around = jax.jit(jax.shard_map(ring_attention, mesh=mesh, in_specs=(spec,) * 3, out_specs=spec))
    divided = [jax.device_put(x, sharding) for x in inputs]
    output = around(*divided)
    assert output.sharding.is_equivalent_to(sharding, output.ndim)
    np.testing.assert_allclose(output, jax.jit(attention)(*inputs), rtol=1e-4, atol=1e-5)

    def loss(function, query, key, value):
        return (jnp.cos(jnp.arange(8)) * function(query, key, value)).sum()

    gradients = jax.jit(jax.grad(functools.partial(loss, around), argnums=(0, 1, 2)))(*divided)
    expected = jax.jit(jax.grad(functools.partial(loss, attention), argnums=(0, 1, 2)))(*inputs)
    for gradient, of_whole in zip(gradients, expected):
        np.testing.assert_allclose(gradient, of_whole, rtol=1e-3, atol=1e-4)
    np.savez(sys.argv[1], output=output, query=gradients[0], key=gradients[1], value=gradients[2])


if __name__ == "__main__":
    main()
