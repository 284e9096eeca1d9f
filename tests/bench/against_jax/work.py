"""What a workload has to compute, counted from what JAX traces: only what runs at the rate of matrix products."""

import math

import numpy as np


def flops(jaxpr):
    """Multiplications and additions of products, convolutions and factorizations, in loops as often as they run."""
    total = 0
    for equation in jaxpr.eqns:
        if (count := _COUNTS.get(equation.primitive.name)) is not None:
            total += count(equation)
            continue
        repeats = equation.params.get("length", 1) if equation.primitive.name == "scan" else 1
        total += repeats * sum(flops(inner) for inner in _inner(equation))
    return total


def _inner(equation):
    """The functions that an op calls."""
    params = equation.params
    if equation.primitive.name == "custom_linear_solve":
        # The others are for its derivatives.
        params = {"solve": params["jaxprs"].solve}
    for value in params.values():
        for one in value if isinstance(value, (tuple, list)) else (value,):
            if (jaxpr := getattr(one, "jaxpr", one)) is not None and hasattr(jaxpr, "eqns"):
                yield jaxpr


def _dot(equation):
    (contracted, _), _ = equation.params["dimension_numbers"]
    lhs = equation.invars[0].aval.shape
    return 2 * math.prod(equation.outvars[0].aval.shape) * math.prod(lhs[i] for i in contracted)


def _convolution(equation):
    kernel = equation.invars[1].aval.shape
    outputs = kernel[equation.params["dimension_numbers"].rhs_spec[0]]
    return 2 * math.prod(equation.outvars[0].aval.shape) * math.prod(kernel) // outputs


def _square(equation):
    return math.prod(equation.invars[0].aval.shape[:-2]) * equation.invars[0].aval.shape[-1] ** 3


def _triangular_solve(equation):
    return math.prod(equation.invars[1].aval.shape) * equation.invars[0].aval.shape[-1]


_COUNTS = {
    "dot_general": _dot,
    "conv_general_dilated": _convolution,
    "cholesky": lambda equation: _square(equation) // 3,
    "lu": lambda equation: 2 * _square(equation) // 3,
    "triangular_solve": _triangular_solve,
}


def moved_bytes(avals):
    """Of arrays that are read or written once."""
    return sum(math.prod(aval.shape) * np.dtype(aval.dtype).itemsize for aval in avals)
