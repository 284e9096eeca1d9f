"""Trains a network on batches that are divided over four devices, with donated state, as on one device."""

import functools
import sys

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

OPTIMIZER = optax.adam(1e-2)


def initialize(key):
    sizes = (12, 32, 16, 3)
    keys = jax.random.split(key, len(sizes))
    return [{"w": jax.random.normal(k, (a, b)) / np.sqrt(a), "b": jnp.zeros(b)}
            for k, a, b in zip(keys, sizes, sizes[1:])]


def loss_of(parameters, x, labels):
    for layer in parameters[:-1]:
        x = jnp.tanh(x @ layer["w"] + layer["b"])
    logits = x @ parameters[-1]["w"] + parameters[-1]["b"]
    return optax.softmax_cross_entropy_with_integer_labels(logits, labels).mean()


@functools.partial(jax.jit, donate_argnums=0)
def step(state, x, labels):
    parameters, moments = state
    loss, gradients = jax.value_and_grad(loss_of)(parameters, x, labels)
    updates, moments = OPTIMIZER.update(gradients, moments)
    return (optax.apply_updates(parameters, updates), moments), loss


def train(place_state, place_batch):
    generator = np.random.default_rng(0)
    parameters = initialize(jax.random.key(0))
    state = jax.device_put((parameters, OPTIMIZER.init(parameters)), place_state)
    losses = []
    for _ in range(20):
        x = generator.normal(size=(64, 12)).astype(np.float32)
        labels = (x[:, :3].argmax(1)).astype(np.int32)
        before = state
        state, loss = step(state, jax.device_put(x, place_batch), jax.device_put(labels, place_batch))
        assert all(leaf.is_deleted() for leaf in jax.tree.leaves(before))
        losses.append(loss)
    return state[0], np.array(losses)


def main():
    mesh = Mesh(np.array(jax.devices()[:4]), ("batch",))
    parameters, losses = train(NamedSharding(mesh, P()), NamedSharding(mesh, P("batch")))
    alone, losses_alone = train(jax.devices()[0], jax.devices()[0])
    assert all(leaf.sharding.device_set == set(mesh.devices.flat) for leaf in jax.tree.leaves(parameters))
    np.testing.assert_allclose(losses, losses_alone, rtol=1e-4)
    for leaf, leaf_alone in zip(jax.tree.leaves(parameters), jax.tree.leaves(alone)):
        np.testing.assert_allclose(leaf, leaf_alone, rtol=1e-3, atol=1e-4)
    np.savez(sys.argv[1], losses=losses, first=parameters[0]["w"], last=parameters[-1]["w"])


if __name__ == "__main__":
    main()
