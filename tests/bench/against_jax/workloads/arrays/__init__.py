"""Single operations on arrays, and chains of them."""

from . import (chains, convolution_ranks, elementwise, linear_algebra, low_precision, matmul, normalization, ordering,
               randomness, spectra, sums)

_MODULES = (chains, convolution_ranks, elementwise, linear_algebra, low_precision, matmul, normalization, ordering,
            randomness, spectra, sums)
WORKLOADS = [workload for module in _MODULES for workload in module.WORKLOADS]
