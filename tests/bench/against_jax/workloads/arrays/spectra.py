"""Fourier transforms."""

import jax.numpy as jnp

from ...operands import uniform
from ...workload import Workload

WORKLOADS = [
    Workload("fft_2_20", jnp.fft.fft, (uniform(2**20, dtype="complex64"),), tolerance=1e-5),
]
