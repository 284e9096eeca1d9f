"""JAX, in this process: exports workloads as programs, computes what they must give, and is measured."""

import re
import time

import jax
import jax.export
import numpy as np
from jax.sharding import NamedSharding, PartitionSpec

from . import work
from .jax_first import first_result
from .program import Expected, Program
from .workload import is_spec

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
        workload.set_widths()
        tree = jax.tree.structure(workload.operands)
        shardings, results = _shardings(workload) if workload.mesh else ([self.device] * len(values), None)
        leaves = [jax.device_put(value.view(np.dtype(leaf.dtype)), sharding)
                  for value, leaf, sharding in zip(values, jax.tree.leaves(workload.operands), shardings)]
        self.operands = jax.tree.unflatten(tree, leaves)
        self.function = jax.jit(workload.function, out_shardings=results)
        self.calls = workload.calls
        jax.block_until_ready(leaves)
        time.sleep(SETTLING)

    def load(self, workload, values):
        """As put, then traces, lowers and compiles as if for the first time; gives nanoseconds of all that, and of
        compiling alone."""
        self.put(workload, values)
        jax.clear_caches()
        start = time.perf_counter_ns()
        lowered = self.function.lower(*self.operands)
        compiling = time.perf_counter_ns()
        lowered.compile()
        end = time.perf_counter_ns()
        return end - start, end - compiling

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


def export(workload):
    """The workload as a program for any device: lowered as for the CPU, where JAX uses standard ops most."""
    workload.set_widths()
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


def _shardings(workload):
    """Those of the operands' leaves, and the tree of those of the results."""
    mesh = jax.make_mesh(tuple(workload.mesh.values()), tuple(workload.mesh),
                         axis_types=(jax.sharding.AxisType.Auto,) * len(workload.mesh))
    leaves = [NamedSharding(mesh, PartitionSpec(*spec)) for spec in jax.tree.leaves(workload.specs, is_leaf=is_spec)]
    return leaves, jax.tree.map(lambda spec: NamedSharding(mesh, PartitionSpec(*spec)), workload.result_specs,
                                is_leaf=is_spec)


def _plain(array):
    """Bits of dtypes that NumPy does not know itself, as .npy files have them."""
    return array.view("V2") if array.dtype.name == "bfloat16" else array
