"""Elementwise programs, which memory bounds once they are one kernel."""

import jax.numpy as jnp

from ...operands import uniform
from ...workload import Workload


def selu(x, alpha=1.67, scale=1.05):
    return scale * jnp.where(x > 0, x, alpha * jnp.exp(x) - alpha)


def chain_of_20(x):
    """Twenty ops, none of which can be folded into another."""
    for i in range(5):
        x = jnp.maximum(x * 0.9, -1.0 - i)
        x = jnp.abs(x - 0.25)
    return x


WORKLOADS = [
    Workload("selu_1m", selu, (uniform(1_000_000),)),
    Workload("selu_64m", selu, (uniform(64_000_000),)),
    Workload("selu_256m", selu, (uniform(256_000_000),), device="cuda"),
    Workload("chain_of_20_ops_16m", chain_of_20, (uniform(16_000_000),)),
]
