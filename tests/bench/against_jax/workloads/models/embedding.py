"""Rows looked up in a table of 50,000 x 256 for 8,192 tokens, and the gradient, which adds them up."""

import jax

from ...operands import integers, uniform
from ...workload import Workload

TABLE, TOKENS, DIRECTION = uniform(50_000, 256), integers(8_192, below=50_000, seed=1), uniform(8_192, 256, seed=2)


def lookup(table, tokens):
    return table[tokens]


def lookup_gradient(table, tokens, direction):
    return jax.vjp(lambda t: lookup(t, tokens), table)[1](direction)[0]


ROWS_BYTES = DIRECTION.size_bytes

WORKLOADS = [
    Workload("embedding_lookup", lookup, (TABLE, TOKENS), tolerance=0.0, moved_bytes=2 * ROWS_BYTES),
    Workload("embedding_gradient", lookup_gradient, (TABLE, TOKENS, DIRECTION),
             moved_bytes=TABLE.size_bytes + ROWS_BYTES),
]
