"""Trains a network whose parameters and batches are all divided over the same devices (FSDP), layers in a scan with
rematerialization."""

import functools
import sys

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

LAYERS, WIDTH, BATCH = 3, 16, 8


def initialize(key):
    return {"in": jax.random.normal(jax.random.fold_in(key, 0), (8, WIDTH)) / 3,
            "layers": jax.random.normal(jax.random.fold_in(key, 1), (LAYERS, WIDTH, WIDTH)) / 4,
            "bias": jnp.zeros((LAYERS, WIDTH)), "out": jax.random.normal(jax.random.fold_in(key, 2), (WIDTH, 4)) / 4}


def loss_of(parameters, x, y):
    @jax.checkpoint
    def layer(x, weights):
        return x + jnp.tanh(x @ weights["w"] + weights["b"]), None

    x, _ = jax.lax.scan(layer, x @ parameters["in"], {"w": parameters["layers"], "b": parameters["bias"]})
    return jnp.mean((x @ parameters["out"] - y) ** 2)


@functools.partial(jax.jit, donate_argnums=(0, 1))
def step(parameters, momentum, x, y):
    loss, gradients = jax.value_and_grad(loss_of)(parameters, x, y)
    momentum = jax.tree.map(lambda m, g: 0.9 * m + g, momentum, gradients)
    return jax.tree.map(lambda p, m: p - 0.05 * m, parameters, momentum), momentum, loss


def train(shardings, batches):
    parameters = jax.device_put(initialize(jax.random.key(0)), shardings)
    momentum = jax.tree.map(jnp.zeros_like, parameters)
    generator = np.random.default_rng(0)
    losses = []
    for _ in range(8):
        x = generator.normal(size=(BATCH, 8)).astype(np.float32)
        parameters, momentum, loss = step(parameters, momentum, *jax.device_put((x, np.sin(x[:, :4])), batches))
        losses.append(loss)
    return parameters, np.array(losses)


def main():
    mesh = Mesh(np.array(jax.devices()[:4]), ("all",))
    shardings = {"in": NamedSharding(mesh, P(None, "all")), "layers": NamedSharding(mesh, P(None, "all")),
                 "bias": NamedSharding(mesh, P(None, "all")), "out": NamedSharding(mesh, P("all"))}
    parameters, losses = train(shardings, NamedSharding(mesh, P("all")))
    one = jax.devices()[0]
    alone, losses_alone = train({name: one for name in shardings}, one)
    np.testing.assert_allclose(losses, losses_alone, rtol=1e-4)
    for name in parameters:
        np.testing.assert_allclose(parameters[name], alone[name], rtol=1e-3, atol=1e-5)
    np.savez(sys.argv[1], losses=losses, **parameters)


if __name__ == "__main__":
    main()
