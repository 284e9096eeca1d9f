"""What moves or sums a large array along one of its axes."""

import jax.numpy as jnp

from ...operands import uniform
from ...workload import Workload


def transpose(x):
    return x.T


def row_sums(x):
    return x.sum(axis=1)


def column_sums(x):
    return x.sum(axis=0)


SQUARE = uniform(8192, 8192)

WORKLOADS = [
    Workload("transpose_8192x8192", transpose, (SQUARE,), tolerance=0.0),
    Workload("row_sums_8192x8192", row_sums, (SQUARE,)),
    Workload("column_sums_8192x8192", column_sums, (SQUARE,)),
    Workload("cumsum_1m", jnp.cumsum, (uniform(1_000_000),), tolerance=1e-4),
]
