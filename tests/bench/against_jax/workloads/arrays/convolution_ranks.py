"""Convolutions along one dimension and along three."""

import jax

from ...operands import uniform
from ...workload import Workload


def convolve_1d(x, kernel):
    return jax.lax.conv_general_dilated(x, kernel, (1,), "SAME", dimension_numbers=("NWC", "WIO", "NWC"))


def convolve_3d(x, kernel):
    return jax.lax.conv_general_dilated(x, kernel, (1, 1, 1), "SAME", dimension_numbers=("NDHWC", "DHWIO", "NDHWC"))


WORKLOADS = [
    Workload("convolution_1d", convolve_1d, (uniform(16, 4096, 64), uniform(9, 64, 64, seed=1)), tolerance=1e-4),
    Workload("convolution_3d", convolve_3d, (uniform(2, 32, 32, 32, 16), uniform(3, 3, 3, 16, 32, seed=1)),
             tolerance=1e-4),
]
