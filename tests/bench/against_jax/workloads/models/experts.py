"""A mixture of eight experts: each token goes to the two that fit it best, as far as these have room."""

import jax
import jax.numpy as jnp

from ...operands import uniform
from ...workload import Workload

TOKENS, WIDTH, HIDDEN, EXPERTS, CHOSEN = 1024, 256, 512, 8, 2
ROOM = TOKENS * CHOSEN // EXPERTS * 5 // 4


def mixture(gate, up, down, x):
    shares, chosen = jax.lax.top_k(jax.nn.softmax(x @ gate), CHOSEN)
    shares = shares / shares.sum(axis=-1, keepdims=True)
    # Places of the tokens among those of their experts, in the order of tokens.
    mask = jax.nn.one_hot(chosen.reshape(-1), EXPERTS, dtype=jnp.int32)
    places = ((jnp.cumsum(mask, axis=0) - 1) * mask).sum(axis=-1).reshape(TOKENS, CHOSEN)
    slots = jnp.where(places < ROOM, chosen * ROOM + places, EXPERTS * ROOM)
    rows = jnp.repeat(x, CHOSEN, axis=0)
    inputs = jnp.zeros((EXPERTS * ROOM, WIDTH)).at[slots.reshape(-1)].set(rows, mode="drop", unique_indices=True)
    hidden = jax.nn.gelu(jnp.einsum("erw,ewh->erh", inputs.reshape(EXPERTS, ROOM, WIDTH), up))
    outputs = jnp.einsum("erh,ehw->erw", hidden, down).reshape(-1, WIDTH)
    picked = jnp.where((places < ROOM)[..., None], outputs.at[slots].get(mode="clip"), 0)
    return (picked * shares[..., None]).sum(axis=1)


WORKLOADS = [
    Workload("mixture_of_8_experts_top_2", mixture,
             (uniform(WIDTH, EXPERTS, seed=1, low=-0.3, high=0.3),
              uniform(EXPERTS, WIDTH, HIDDEN, seed=2, low=-0.1, high=0.1),
              uniform(EXPERTS, HIDDEN, WIDTH, seed=3, low=-0.08, high=0.08), uniform(TOKENS, WIDTH)), tolerance=1e-4),
]
