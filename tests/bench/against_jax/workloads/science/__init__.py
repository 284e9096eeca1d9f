"""Statistics, finance and physics."""

from . import (clustering, finance, logistics, quasi_newton, simulations)

_MODULES = (clustering, finance, logistics, quasi_newton, simulations)
WORKLOADS = [workload for module in _MODULES for workload in module.WORKLOADS]
