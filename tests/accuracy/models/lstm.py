"""An LSTM of 64 steps: its outputs and its gradients."""

import jax
import jax.numpy as jnp

from row import Numbers, Row

n = Numbers(23)
STEPS, BATCH, WIDTH = 64, 32, 128


def lstm(parameters, inputs):
    weights, recurrent, biases = parameters

    def step(state, x):
        hidden, cell = state
        update, forget, output, candidate = jnp.split(x @ weights + hidden @ recurrent + biases, 4, axis=-1)
        cell = jax.nn.sigmoid(forget + 1) * cell + jax.nn.sigmoid(update) * jnp.tanh(candidate)
        hidden = jax.nn.sigmoid(output) * jnp.tanh(cell)
        return (hidden, cell), hidden

    zeros = jnp.zeros((BATCH, WIDTH), inputs.dtype)
    return jax.lax.scan(step, (zeros, zeros), inputs)[1]


def outputs_and_gradients(parameters, inputs):
    def loss(p):
        outputs = lstm(p, inputs)
        return jnp.square(outputs).mean(), outputs
    gradients, outputs = jax.grad(loss, has_aux=True)(parameters)
    return outputs, gradients


ROW = Row("LSTM of 64 steps: outputs and 3 gradients", outputs_and_gradients,
          ((n.normal(WIDTH, 4 * WIDTH, scale=0.1), n.normal(WIDTH, 4 * WIDTH, scale=0.1), n.normal(4 * WIDTH, scale=0.1)),
           n.normal(STEPS, BATCH, WIDTH)), is_model=True)
