"""Sorting and selecting."""

import jax
import jax.numpy as jnp

from ...operands import bits, uniform
from ...workload import Workload


def top_50(x):
    return jax.lax.top_k(x, 50)


WORKLOADS = [
    Workload("sort_1m", jnp.sort, (uniform(1_000_000),), tolerance=0.0),
    Workload("argsort_1m_int64", jnp.argsort, (bits(1_000_000, dtype="int64"),), tolerance=0.0, wide=True),
    Workload("top_50_of_50000_64_rows", top_50, (uniform(64, 50_000),), tolerance=0.0),
]
