"""Beam search over a recurrent model: 32 steps, 8 beams for each of 4 sequences, a vocabulary of 1,024."""

import jax
import jax.numpy as jnp

from ...operands import integers, uniform
from ...workload import Workload
from .language_models import weights

BATCH, BEAMS, STEPS, WIDTH, VOCABULARY = 4, 8, 32, 128, 1024


def search(embedding, recurrent, head, first):
    def step(state, _):
        hidden, scores, tokens = state
        hidden = jnp.tanh(embedding[tokens] + hidden @ recurrent)
        candidates = scores[..., None] + jax.nn.log_softmax(hidden @ head)
        scores, best = jax.lax.top_k(candidates.reshape(BATCH, -1), BEAMS)
        parents, tokens = best // VOCABULARY, best % VOCABULARY
        hidden = jnp.take_along_axis(hidden, parents[..., None], axis=1)
        return (hidden, scores, tokens), (parents, tokens)

    # Beams begin the same: all but the first are out at once.
    scores = jnp.where(jnp.arange(BEAMS) == 0, 0.0, -1e9)
    state = (jnp.zeros((BATCH, BEAMS, WIDTH)), jnp.broadcast_to(scores, (BATCH, BEAMS)),
             jnp.broadcast_to(first[:, None], (BATCH, BEAMS)))
    (_, scores, _), path = jax.lax.scan(step, state, length=STEPS)
    return scores, path


WORKLOADS = [
    Workload("beam_search_32_steps", search,
             (uniform(VOCABULARY, WIDTH, seed=1), weights(WIDTH, WIDTH, 2), weights(WIDTH, VOCABULARY, 3),
              integers(BATCH, below=VOCABULARY, seed=4)), tolerance=1e-4),
]
