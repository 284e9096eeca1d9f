"""A training step of a perceptron, 784-512-512-10, on 256 images."""

import jax
import jax.numpy as jnp

from row import Numbers, Row

n = Numbers(20)
SIZES = (784, 512, 512, 10)


def loss(parameters, images, labels):
    *hidden, (weights, biases) = parameters
    x = images
    for w, b in hidden:
        x = jax.nn.relu(x @ w + b)
    return -jnp.take_along_axis(jax.nn.log_softmax(x @ weights + biases), labels[:, None], axis=1).mean()


PARAMETERS = [(n.normal(a, b, scale=(2 / a) ** 0.5), n.normal(b, scale=0.1)) for a, b in zip(SIZES, SIZES[1:])]
ROW = Row("MLP step: loss and 6 gradients", jax.value_and_grad(loss),
          (PARAMETERS, n.uniform(256, SIZES[0]), n.integers(256, below=10)), is_model=True)
