"""An LSTM of 64 steps, and its gradient: a loop whose body is a small matrix product."""

import jax
import jax.numpy as jnp

from ...operands import uniform
from ...workload import Workload

STEPS, BATCH, WIDTH = 64, 32, 256


def lstm(parameters, inputs):
    weights, recurrent, biases = parameters

    def step(state, x):
        hidden, cell = state
        update, forget, output, candidate = jnp.split(x @ weights + hidden @ recurrent + biases, 4, axis=-1)
        cell = jax.nn.sigmoid(forget + 1) * cell + jax.nn.sigmoid(update) * jnp.tanh(candidate)
        hidden = jax.nn.sigmoid(output) * jnp.tanh(cell)
        return (hidden, cell), hidden

    zeros = jnp.zeros((BATCH, WIDTH))
    return jax.lax.scan(step, (zeros, zeros), inputs)[1]


def lstm_gradient(parameters, inputs):
    return jax.grad(lambda p: jnp.square(lstm(p, inputs)).mean())(parameters)


PARAMETERS = (uniform(WIDTH, 4 * WIDTH, seed=10, low=-0.1, high=0.1),
              uniform(WIDTH, 4 * WIDTH, seed=11, low=-0.1, high=0.1), uniform(4 * WIDTH, seed=12, low=-0.1, high=0.1))
INPUTS = uniform(STEPS, BATCH, WIDTH)

WORKLOADS = [
    Workload("lstm_64_steps", lstm, (PARAMETERS, INPUTS), tolerance=1e-4),
    Workload("lstm_64_steps_gradient", lstm_gradient, (PARAMETERS, INPUTS), tolerance=1e-4),
]
