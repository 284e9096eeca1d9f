"""Attention and a network whose weights are divided over devices, with batches divided over others: forward and
gradients, as on one device."""

import sys

import jax
import jax.numpy as jnp
import numpy as np
from jax.lax import with_sharding_constraint
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

WIDTH, HEADS, LENGTH = 16, 4, 10
SPECS = {"query": P(None, "model"), "key": P(None, "model"), "value": P(None, "model"), "out": P("model", None),
         "up": P(None, "model"), "down": P("model", None), "scale": P()}


def initialize(key):
    shapes = {"query": (WIDTH, WIDTH), "key": (WIDTH, WIDTH), "value": (WIDTH, WIDTH), "out": (WIDTH, WIDTH),
              "up": (WIDTH, 4 * WIDTH), "down": (4 * WIDTH, WIDTH), "scale": (WIDTH,)}
    return {name: 0.3 * jax.random.normal(jax.random.fold_in(key, i), shape)
            for i, (name, shape) in enumerate(shapes.items())}


def block(weights, x, constrain):
    def heads(name):
        divided = (x @ weights[name]).reshape(*x.shape[:2], HEADS, WIDTH // HEADS)
        return constrain(divided, P("data", None, "model", None))

    query, key, value = heads("query"), heads("key"), heads("value")
    scores = jnp.einsum("bqhd,bkhd->bhqk", query, key) / np.sqrt(WIDTH // HEADS)
    scores = jnp.where(jnp.tril(jnp.ones((LENGTH, LENGTH), bool)), scores, -1e9)
    attended = jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(scores, axis=-1), value).reshape(x.shape)
    x = constrain(x + attended @ weights["out"], P("data", None, None))
    x = x * weights["scale"] * jax.lax.rsqrt(jnp.mean(x * x, -1, keepdims=True) + 1e-6)
    hidden = constrain(jax.nn.gelu(x @ weights["up"]), P("data", None, "model"))
    return constrain(x + hidden @ weights["down"], P("data", None, None))


def loss_and_gradients(constrain):
    return jax.jit(jax.value_and_grad(lambda weights, x: jnp.mean(block(weights, x, constrain) ** 2), argnums=(0, 1)))


def main():
    mesh = Mesh(np.array(jax.devices()[:4]).reshape(2, 2), ("data", "model"))
    shardings = {name: NamedSharding(mesh, spec) for name, spec in SPECS.items()}
    weights, x = initialize(jax.random.key(0)), jax.random.normal(jax.random.key(1), (6, LENGTH, WIDTH))
    divided = jax.device_put(weights, shardings), jax.device_put(x, NamedSharding(mesh, P("data")))

    def constrain(value, spec):
        return with_sharding_constraint(value, NamedSharding(mesh, spec))

    loss, (gradients, of_x) = loss_and_gradients(constrain)(*divided)
    expected, (expected_gradients, expected_of_x) = loss_and_gradients(lambda value, spec: value)(weights, x)
    np.testing.assert_allclose(loss, expected, rtol=1e-5)
    np.testing.assert_allclose(of_x, expected_of_x, rtol=1e-3, atol=1e-6)
    for name in weights:
        np.testing.assert_allclose(gradients[name], expected_gradients[name], rtol=1e-3, atol=1e-5)
    output = jax.jit(lambda weights, x: block(weights, x, constrain),
                     out_shardings=NamedSharding(mesh, P("data", None, "model")))(*divided)
    assert output.sharding.spec == P("data", None, "model"), output.sharding
    np.savez(sys.argv[1], loss=loss, of_x=of_x, output=output, **gradients)


if __name__ == "__main__":
    main()
