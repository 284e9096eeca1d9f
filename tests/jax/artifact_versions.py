"""Portable artifacts of older versions of StableHLO than JAX itself writes."""

import io
import re

import jax
from jax._src.interpreters.mlir import make_ir_context
from jax._src.lib import _jax
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo

# What JAX reads and writes now, and three older versions, each of which lacks ops or attributes of the next: result
# accuracies came with 1.9 and 1.10, batching dimensions of gathers with 1.1.
TARGETS = (stablehlo.get_current_version(), "1.13.0", "1.8.0", "1.0.0")


# The writer for 1.0.0 makes a quotient of a tangent, which is NaN at infinities where the tangent is not.
COMPLEX_TANGENT = re.compile(r"stablehlo\.tan .*complex")


def at_versions(exported):
    """(version, artifact) for each of TARGETS that can hold the program."""
    module = io.BytesIO()
    with make_ir_context():
        ir.Module.parse(exported.mlir_module()).operation.write_bytecode(module)
    for version in TARGETS:
        if version == "1.0.0" and COMPLEX_TANGENT.search(exported.mlir_module()):
            continue
        try:
            # True: what is of other dialects stays as it is, as in what JAX gives to a plugin.
            yield version, _jax.mlir.serialize_portable_artifact(module.getvalue(), version, True)
        except jax.errors.JaxRuntimeError:  # it has something newer
            continue
