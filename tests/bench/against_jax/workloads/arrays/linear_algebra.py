"""Factorizations and solutions of linear systems."""

import jax.numpy as jnp

from ...operands import positive_definite, uniform
from ...workload import Workload

WORKLOADS = [
    Workload("cholesky_1024", jnp.linalg.cholesky, (positive_definite(1024),), tolerance=1e-4),
    Workload("solve_1024", jnp.linalg.solve, (positive_definite(1024), uniform(1024, 1024, seed=1)), tolerance=1e-3),
]
