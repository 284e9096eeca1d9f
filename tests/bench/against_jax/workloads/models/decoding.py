"""Decoding with a key-value cache: a token for each sequence, and 16 tokens in a loop. Weights are float32 or bfloat16;
the cache has their dtype."""

import dataclasses

import jax
import jax.numpy as jnp

from ...operands import filled, integers, uniform
from ...workload import Workload
from ..arrays.normalization import layer_norm
from .language_models import norm, weights

LAYERS, WIDTH, HEADS, VOCABULARY, CONTEXT, POSITION = 4, 512, 8, 2048, 512, 400


def _parameters(dtype):
    blocks = [{"norm_1": norm(WIDTH), "attention": weights(WIDTH, 3 * WIDTH, 10 * i),
               "projection": weights(WIDTH, WIDTH, 10 * i + 1), "norm_2": norm(WIDTH),
               "up": weights(WIDTH, 4 * WIDTH, 10 * i + 2), "down": weights(4 * WIDTH, WIDTH, 10 * i + 3)}
              for i in range(1, LAYERS + 1)]
    parameters = {"tokens": uniform(VOCABULARY, WIDTH, seed=1, low=-0.5, high=0.5), "blocks": blocks}
    return jax.tree.map(lambda one: dataclasses.replace(one, dtype=dtype), parameters)


def _attend(query, keys, values, position):
    """Of one query for each sequence, to the keys up to the position."""
    scores = jnp.einsum("bhd,bkhd->bhk", query, keys, preferred_element_type=jnp.float32) * (WIDTH // HEADS) ** -0.5
    scores = jnp.where(jnp.arange(CONTEXT) <= position, scores, -jnp.inf)
    return jnp.einsum("bhk,bkhd->bhd", jax.nn.softmax(scores).astype(values.dtype), values)


def decode(parameters, caches, tokens, position):
    """The logits of what comes after the tokens at the position, and the caches with these tokens' keys and values."""
    x = parameters["tokens"][tokens]
    updated = []
    for block, (keys, values) in zip(parameters["blocks"], caches):
        heads = (layer_norm(x, *block["norm_1"]) @ block["attention"]).reshape(-1, 3, HEADS, WIDTH // HEADS)
        keys = jax.lax.dynamic_update_slice(keys, heads[:, None, 1], (0, position, 0, 0))
        values = jax.lax.dynamic_update_slice(values, heads[:, None, 2], (0, position, 0, 0))
        updated.append((keys, values))
        x = x + _attend(heads[:, 0], keys, values, position).reshape(x.shape) @ block["projection"]
        x = x + jax.nn.gelu(layer_norm(x, *block["norm_2"]) @ block["up"]) @ block["down"]
    return (x @ parameters["tokens"].T).astype(jnp.float32), updated


def decode_one(parameters, caches, tokens, position):
    """The logits, and each layer's new key and value: whoever holds the caches adds these to them."""
    logits, updated = decode(parameters, caches, tokens, position)
    rows = [jax.lax.dynamic_slice_in_dim(one, position, 1, axis=1) for pair in updated for one in pair]
    return logits, rows


def generate(parameters, caches, tokens, position):
    """16 tokens, each the likeliest after those before it; gives the last one's logits."""
    def step(i, state):
        caches, tokens, _ = state
        logits, caches = decode(parameters, caches, tokens, position + i)
        return caches, jnp.argmax(logits, axis=-1).astype(tokens.dtype), logits

    logits = jnp.zeros((*tokens.shape, VOCABULARY))
    return jax.lax.fori_loop(0, 16, step, (caches, tokens, logits))[2]


def _operands(batch, dtype):
    def cache(seed):
        return uniform(batch, CONTEXT, HEADS, WIDTH // HEADS, seed=seed, dtype=dtype)

    caches = [(cache(100 + i), cache(200 + i)) for i in range(LAYERS)]
    return (_parameters(dtype), caches, integers(batch, below=VOCABULARY, seed=3),
            filled(value=POSITION, dtype="int32"))


WORKLOADS = [
    Workload(f"decode_a_token_batch_{batch}_{name}", decode_one, _operands(batch, dtype), tolerance)
    for name, dtype, tolerance in (("f32", "float32", 1e-4), ("bf16", "bfloat16", 5e-2)) for batch in (1, 16)
] + [Workload(f"decode_16_tokens_batch_{batch}_f32", generate, _operands(batch, "float32"), 1e-3) for batch in (1, 16)]
