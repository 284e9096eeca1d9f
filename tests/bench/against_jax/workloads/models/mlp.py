"""A training step of a perceptron, 784-512-512-10."""

import jax
import jax.numpy as jnp

from ...operands import integers, uniform
from ...workload import Workload, training_step
from .optimizers import adam, adam_state, sgd

SIZES = (784, 512, 512, 10)
PARAMETERS = [
    (uniform(fan_in, fan_out, seed=10 + i, low=-(3 / fan_in) ** 0.5, high=(3 / fan_in) ** 0.5),
     uniform(fan_out, seed=20 + i, low=-0.1, high=0.1))
    for i, (fan_in, fan_out) in enumerate(zip(SIZES, SIZES[1:]))]


def loss(parameters, images, labels):
    *hidden, (weights, biases) = parameters
    x = images
    for w, b in hidden:
        x = jax.nn.relu(x @ w + b)
    log_probabilities = jax.nn.log_softmax(x @ weights + biases)
    return -jnp.take_along_axis(log_probabilities, labels[:, None], axis=1).mean()


WORKLOADS = [
    Workload(f"mlp_{name}_step_batch_{batch}", training_step(loss, update),
             (state, uniform(batch, SIZES[0], seed=1, low=0.0), integers(batch, below=SIZES[-1], seed=2)),
             tolerance=1e-4)
    for batch in (32, 512)
    for name, update, state in (("sgd", sgd, (PARAMETERS,)), ("adam", adam, adam_state(PARAMETERS)))]
