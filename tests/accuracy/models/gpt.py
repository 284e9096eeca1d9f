"""A training step of a small GPT: 4 layers of width 256, 4 heads, 128 tokens, a batch of 4."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from row import Numbers, Row

n = Numbers(22)
LAYERS, WIDTH, HEADS, TOKENS, WORDS = 4, 256, 4, 128, 1000


def normalize(x, scale, bias):
    mean = x.mean(-1, keepdims=True)
    variance = jnp.square(x - mean).mean(-1, keepdims=True)
    return (x - mean) * lax.rsqrt(variance + 1e-5) * scale + bias


def attend(x, project, out):
    batch, tokens, width = x.shape
    q, k, v = [y.reshape(batch, tokens, HEADS, -1) for y in jnp.split(x @ project, 3, axis=-1)]
    scores = jnp.einsum("bqhd,bkhd->bhqk", q, k) / (width // HEADS) ** 0.5
    scores = jnp.where(np.tril(np.ones((tokens, tokens), bool)), scores, -1e9)
    mixed = jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(scores), v)
    return mixed.reshape(x.shape) @ out


def loss(parameters, tokens):
    x = parameters["words"][tokens[:, :-1]] + parameters["places"]
    for layer in parameters["layers"]:
        x = x + attend(normalize(x, *layer["norm1"]), layer["project"], layer["out"])
        y = jax.nn.gelu(normalize(x, *layer["norm2"]) @ layer["up"] + layer["up_bias"])
        x = x + y @ layer["down"] + layer["down_bias"]
    logits = normalize(x, *parameters["norm"]) @ parameters["words"].T
    return -jnp.take_along_axis(jax.nn.log_softmax(logits), tokens[:, 1:, None], axis=-1).mean()


def norm():
    return n.uniform(WIDTH, low=0.8, high=1.2), n.normal(WIDTH, scale=0.1)


def make_layer():
    return {"norm1": norm(), "project": n.normal(WIDTH, 3 * WIDTH, scale=0.06), "out": n.normal(WIDTH, WIDTH, scale=0.06),
            "norm2": norm(), "up": n.normal(WIDTH, 4 * WIDTH, scale=0.06), "up_bias": n.normal(4 * WIDTH, scale=0.1),
            "down": n.normal(4 * WIDTH, WIDTH, scale=0.03), "down_bias": n.normal(WIDTH, scale=0.1)}


PARAMETERS = {"words": n.normal(WORDS, WIDTH, scale=0.1), "places": n.normal(TOKENS, WIDTH, scale=0.1),
              "layers": [make_layer() for _ in range(LAYERS)], "norm": norm()}
ROW = Row("GPT step: loss and 44 gradients", jax.value_and_grad(loss),
          (PARAMETERS, n.integers(4, TOKENS + 1, below=WORDS)), is_model=True)
