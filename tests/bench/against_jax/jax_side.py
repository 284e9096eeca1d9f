"""JAX, in this process: exports workloads as programs, computes what they must give, and is measured."""

import re
import time

import jax
import jax.export
import numpy as np

from . import work
from .jax_first import first_result
from .program import Expected, Program

# Seconds after operands arrived in which their copies on the way are freed, before anything is timed. As long as
# timing_client.cc waits.
SETTLING = 0.1


class JaxSide:
    """One loaded workload at a time, on a device of a kind ("cpu", "cuda"; None is the default)."""

    name = "jax"

    def __init__(self, kind, number):
        self.kind, self.number = kind, number
        self.device = jax.devices(kind)[number]
        self.unload()

    def put(self, workload, values):
        """Puts the operands (one value for each leaf) on the device."""
        tree = jax.tree.structure(workload.operands)
        leaves = [self._put(value, leaf) for value, leaf in zip(values, jax.tree.leaves(workload.operands))]
        self.operands = jax.tree.unflatten(tree, leaves)
        self.function = jax.jit(workload.function)
        self.calls = workload.calls
        jax.block_until_ready(leaves)
        time.sleep(SETTLING)

    def load(self, workload, values):
        """As put, then traces, lowers and compiles as if for the first time; gives nanoseconds of that."""
        self.put(workload, values)
        jax.clear_caches()
        start = time.perf_counter_ns()
        self.function.lower(*self.operands).compile()
        return time.perf_counter_ns() - start

    def first(self, name, folder):
        """What jax_first.py prints of a workload that is in the persistent cache in `folder`, or will be now."""
        return first_result(name, self.kind, self.number, jax.config.jax_default_matmul_precision or "default", folder)

    def run(self, repeats=1):
        """Nanoseconds from the first call until its results, or those of the last call, are there; of the last of
        several repeats."""
        for _ in range(repeats):
            elapsed = self._repeat()
        return elapsed

    def _repeat(self):
        self.results = None
        operands = self.operands
        start = time.perf_counter_ns()
        for _ in range(self.calls - 1):
            operands = (self.function(*operands),)
        results = self.function(*operands)
        jax.block_until_ready(results)
        elapsed = time.perf_counter_ns() - start
        self.results = results
        return elapsed

    def expected(self):
        """What the last run gave."""
        return [Expected.of(_plain(np.asarray(leaf))) for leaf in jax.tree.leaves(self.results)]

    def unload(self):
        self.function = self.operands = self.results = None
        self.calls = 0

    def _put(self, value, operand):
        return jax.device_put(value.view(np.dtype(operand.dtype)), self.device)


def export(workload):
    """The workload as a program for any device: lowered as for the CPU, where JAX uses standard ops most."""
    function = jax.jit(workload.function, keep_unused=True)
    operands = workload.abstract_operands()
    traced = function.trace(*operands)
    # JAX promises nothing for some of its calls in artifacts of other versions; these are of this one.
    text = traced.lower(lowering_platforms=("cpu",)).as_text()
    calls = [jax.export.DisabledSafetyCheck.custom_call(target)
             for target in sorted(set(re.findall(r"custom_call @([\w.]+)", text)))]
    exported = jax.export.export(function, platforms=("cpu",), disabled_checks=calls)(*operands)
    leaves = jax.tree.leaves(workload.operands)
    moved = work.moved_bytes([*exported.in_avals, *exported.out_avals])
    halves = any(leaf.dtype == "bfloat16" for leaf in leaves)
    return Program(
        name=workload.name, module=exported.mlir_module_serialized, operands=leaves, tolerance=workload.tolerance,
        calls=workload.calls, moved_bytes=workload.moved_bytes or moved * workload.calls,
        flops=work.flops(traced.jaxpr.jaxpr) * workload.calls, flops_dtype="bfloat16" if halves else "float32",
        device=workload.device, slow=workload.slow)


def _plain(array):
    """Bits of dtypes that NumPy does not know itself, as .npy files have them."""
    return array.view("V2") if array.dtype.name == "bfloat16" else array
