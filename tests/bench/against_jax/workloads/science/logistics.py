"""The sum of logistics, and its gradient: an elementwise program with a sum at its end, at both ends of the sizes."""

import jax
import jax.numpy as jnp

from ...operands import uniform
from ...workload import Workload


def sum_of_logistics(x):
    return jnp.sum(1.0 / (1.0 + jnp.exp(-x)))


WORKLOADS = [
    Workload("sum_of_logistics_1m", sum_of_logistics, (uniform(1_000_000),)),
    Workload("sum_of_logistics_gradient_1m", jax.grad(sum_of_logistics), (uniform(1_000_000),)),
    Workload("sum_of_logistics_gradient_3", jax.grad(sum_of_logistics), (uniform(3),)),
]
