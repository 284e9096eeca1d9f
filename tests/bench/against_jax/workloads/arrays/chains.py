"""What costs to say, not to compute: programs of many small ops, and many calls of a small program."""

import jax.numpy as jnp

from ...operands import orthogonal, uniform
from ...workload import Workload


def tiny_ops(x):
    """2,000 ops on 16 floats."""
    for i in range(500):
        x = jnp.sin(x) * 0.9
        x = jnp.abs(x + 0.001 * (i + 1))
    return x


def products(x):
    """100 products of 64 x 64 with an activation after each: 200 kernels, if nothing is fused."""
    y = x
    for _ in range(100):
        y = jnp.tanh(y @ x)
    return y


def unrolled_products(x):
    """1,500 products of 16 x 64 by 64 x 64, each of the one before."""
    y = x[:16]
    for _ in range(1500):
        y = y @ x
    return y


def tiny(y):
    return y * 0.999 + 0.001


WORKLOADS = [
    Workload("program_of_2000_tiny_ops", tiny_ops, (uniform(16),)),
    Workload("program_of_200_kernels", products, (uniform(64, 64, low=-0.2, high=0.2),), tolerance=1e-3),
    Workload("unrolled_matmuls_1500", unrolled_products, (orthogonal(64),), tolerance=1e-3),
    Workload("tiny_calls_1000", tiny, (uniform(16),), calls=1000),
    Workload("tiny_call", tiny, (uniform(16),)),
]
