"""Training steps of GPTs: many narrow layers, and few wider ones. The layers are unrolled."""

import jax
import jax.numpy as jnp

from ...operands import filled, integers, uniform
from ...workload import Workload, training_step
from ..arrays.normalization import layer_norm
from .optimizers import adam, adam_state

VOCABULARY, LENGTH, BATCH, HEADS = 512, 64, 8, 4


def weights(fan_in, fan_out, seed):
    bound = (3 / fan_in) ** 0.5
    return uniform(fan_in, fan_out, seed=seed, low=-bound, high=bound)


def norm(width):
    return filled(width, value=1.0), filled(width, value=0.0)


def parameters_of(layers, width):
    return {
        "tokens": uniform(VOCABULARY, width, seed=1, low=-0.1, high=0.1),
        "positions": uniform(LENGTH, width, seed=2, low=-0.1, high=0.1),
        "blocks": [{"norm_1": norm(width), "attention": weights(width, 3 * width, 10 * i),
                    "projection": weights(width, width, 10 * i + 1), "norm_2": norm(width),
                    "up": weights(width, 4 * width, 10 * i + 2), "down": weights(4 * width, width, 10 * i + 3)}
                   for i in range(1, layers + 1)],
    }


def attend(x, block, heads=HEADS, is_causal=True):
    q, k, v = (part.reshape(*x.shape[:2], heads, -1) for part in jnp.split(x @ block["attention"], 3, -1))
    return jax.nn.dot_product_attention(q, k, v, is_causal=is_causal).reshape(x.shape) @ block["projection"]


def transform(x, block, heads=HEADS, is_causal=True):
    """One layer: attention and a perceptron, each after a layer norm and beside a shortcut."""
    x = x + attend(layer_norm(x, *block["norm_1"]), block, heads, is_causal)
    return x + jax.nn.gelu(layer_norm(x, *block["norm_2"]) @ block["up"]) @ block["down"]


def loss(parameters, tokens):
    x = parameters["tokens"][tokens] + parameters["positions"]
    for block in parameters["blocks"]:
        x = transform(x, block)
    log_probabilities = jax.nn.log_softmax((x @ parameters["tokens"].T)[:, :-1])
    return -jnp.take_along_axis(log_probabilities, tokens[:, 1:, None], axis=-1).mean()


WORKLOADS = [
    Workload(f"gpt_{layers}_layers_of_{width}_adam_step", training_step(loss, adam),
             (adam_state(parameters_of(layers, width)), integers(BATCH, LENGTH, below=VOCABULARY, seed=3)),
             tolerance=1e-3)
    for layers, width in ((24, 128), (4, 256))]
