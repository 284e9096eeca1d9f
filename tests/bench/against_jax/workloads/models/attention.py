"""A transformer block, forward and as a training step: width 512, 8 heads, 4 sequences of 256."""

import jax
import jax.numpy as jnp

from ...operands import filled, uniform
from ...workload import Workload, training_step
from ..arrays.normalization import layer_norm
from .optimizers import sgd

WIDTH, HEADS, LENGTH, BATCH = 512, 8, 256, 4


def _weights(fan_in, fan_out, seed):
    bound = (3 / fan_in) ** 0.5
    return uniform(fan_in, fan_out, seed=seed, low=-bound, high=bound)


PARAMETERS = {
    "norm_1": (filled(WIDTH, value=1.0), filled(WIDTH, value=0.0)),
    "query_key_value": _weights(WIDTH, 3 * WIDTH, 10),
    "projection": _weights(WIDTH, WIDTH, 11),
    "norm_2": (filled(WIDTH, value=1.0), filled(WIDTH, value=0.0)),
    "up": _weights(WIDTH, 4 * WIDTH, 12),
    "down": _weights(4 * WIDTH, WIDTH, 13),
}


def block(parameters, x):
    """Causal attention and a perceptron, each after a layer norm and beside a shortcut."""
    heads = layer_norm(x, *parameters["norm_1"]) @ parameters["query_key_value"]
    query, key, value = jnp.moveaxis(heads.reshape(BATCH, LENGTH, 3, HEADS, WIDTH // HEADS), 2, 0)
    scores = jnp.einsum("bqhd,bkhd->bhqk", query, key) * (WIDTH // HEADS) ** -0.5
    scores = jnp.where(jnp.tril(jnp.ones((LENGTH, LENGTH), bool)), scores, -1e9)
    mixed = jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(scores), value)
    x = x + mixed.reshape(BATCH, LENGTH, WIDTH) @ parameters["projection"]
    hidden = jax.nn.gelu(layer_norm(x, *parameters["norm_2"]) @ parameters["up"])
    return x + hidden @ parameters["down"]


def loss(parameters, x, target):
    return jnp.square(block(parameters, x) - target).mean()


X, TARGET = uniform(BATCH, LENGTH, WIDTH), uniform(BATCH, LENGTH, WIDTH, seed=1)

WORKLOADS = [
    Workload("transformer_block", block, (PARAMETERS, X), tolerance=1e-4),
    Workload("transformer_block_sgd_step", training_step(loss, sgd), ((PARAMETERS,), X, TARGET), tolerance=1e-4),
]
