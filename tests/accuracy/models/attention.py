"""Attention over 512 places with a causal mask: its outputs and its gradients."""

import jax
import jax.numpy as jnp
import numpy as np

from row import Numbers, Row

n = Numbers(24)
BATCH, HEADS, PLACES, WIDTH = 2, 4, 512, 64


def attention(q, k, v):
    scores = jnp.einsum("bhqd,bhkd->bhqk", q, k) / WIDTH ** 0.5
    scores = jnp.where(np.tril(np.ones((PLACES, PLACES), bool)), scores, -jnp.inf)
    return jnp.einsum("bhqk,bhkd->bhqd", jax.nn.softmax(scores), v)


def outputs_and_gradients(q, k, v, direction):
    outputs, back = jax.vjp(attention, q, k, v)
    return outputs, back(direction)


ROW = Row("attention: outputs and 3 gradients", outputs_and_gradients,
          tuple(n.normal(BATCH, HEADS, PLACES, WIDTH) for _ in range(4)), is_model=True)
