"""The workloads: one file for each idea, each with a list WORKLOADS. Importing this needs JAX."""

from . import (attention, chains, clustering, convolution, elementwise, embedding, linear_algebra, logistics, matmul,
               mlp, normalization, ordering, randomness, recurrence, spectra, sums, sweep)

_MODULES = (elementwise, matmul, normalization, sums, randomness, logistics, mlp, attention, convolution, recurrence,
            ordering, embedding, clustering, linear_algebra, spectra, chains)
ALL = [workload for module in _MODULES for workload in module.WORKLOADS]
SWEEP = sweep.WORKLOADS
