"""Trains a small network on the handwritten digits, with JAX alone: the platform is what JAX_PLATFORMS says.

    JAX_PLATFORMS=acceld python digits.py [DIGITS.npy]
"""

import pathlib
import sys
import time

start = time.perf_counter()

import jax  # noqa: E402  after the clock has started
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402

WIDTHS = (64, 128, 64, 10)
BATCH, STEPS = 64, 800


def load(path):
    """Images of 8 by 8 pixels from 0 to 1, and the digits that they show; every fifth is for the test."""
    rows = np.random.default_rng(0).permutation(np.load(path))
    images, labels = rows[:, :64].astype(np.float32) / 16, rows[:, 64].astype(np.int32)
    test = np.arange(len(rows)) % 5 == 0
    return (images[~test], labels[~test]), (images[test], labels[test])


def network(parameters, images):
    for weights, bias in parameters[:-1]:
        images = jax.nn.relu(images @ weights + bias)
    weights, bias = parameters[-1]
    return images @ weights + bias


def loss(parameters, images, labels):
    scores = jax.nn.log_softmax(network(parameters, images))
    return -jnp.mean(jnp.take_along_axis(scores, labels[:, None], axis=1))


@jax.jit
def step(parameters, velocity, images, labels):
    value, gradient = jax.value_and_grad(loss)(parameters, images, labels)
    velocity = jax.tree.map(lambda v, g: 0.9 * v - 0.1 * g, velocity, gradient)
    return jax.tree.map(jnp.add, parameters, velocity), velocity, value


@jax.jit
def accuracy(parameters, images, labels):
    return jnp.mean(jnp.argmax(network(parameters, images), axis=1) == labels)


def main():
    path = sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent / "data" / "digits.npy"
    (images, labels), test = load(path)
    keys = jax.random.split(jax.random.key(1), len(WIDTHS) - 1)
    parameters = [(jax.random.normal(key, (n, m)) * (2 / n) ** 0.5, jnp.zeros(m))
                  for key, n, m in zip(keys, WIDTHS, WIDTHS[1:])]
    velocity = jax.tree.map(jnp.zeros_like, parameters)
    draw = np.random.default_rng(2)
    for i in range(STEPS):
        batch = draw.integers(0, len(images), BATCH)
        parameters, velocity, value = step(parameters, velocity, images[batch], labels[batch])
        if i == 0:
            value.block_until_ready()
            first = time.perf_counter()
    value.block_until_ready()
    per_step_us = (time.perf_counter() - first) / (STEPS - 1) * 1e6
    print(f"{jax.default_backend():>6}: first step after {first - start:.2f} s, then {per_step_us:.0f} us a step; "
          f"accuracy {accuracy(parameters, *test):.3f}")


if __name__ == "__main__":
    main()
