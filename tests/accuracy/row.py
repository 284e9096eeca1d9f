"""One row of the table of accuracy: a function, its arguments, and by what it is judged."""

import dataclasses
from typing import Any, Callable

import numpy as np


@dataclasses.dataclass(frozen=True)
class Row:
    """`function` is judged on `arguments` (float32 arrays become `dtype` first; others stay as they are).

    The truth is what the function gives for float64 arguments, or what `truth` gives for them. Without
    `most_ulp` the root mean square of the errors is compared with JAX's. With it, no element of any result may be
    further from the truth than so many units in the last place of `dtype`.
    """

    name: str
    function: Callable[..., Any]
    arguments: tuple
    dtype: str = "float32"
    most_ulp: float | None = None
    truth: Callable[..., Any] | None = None
    is_model: bool = False  # of minutes: not for every run of the tests


class Numbers:
    """Arguments that are the same in every run."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)

    def normal(self, *dims, scale=1.0, mean=0.0):
        return (mean + scale * self.rng.standard_normal(dims)).astype(np.float32)

    def uniform(self, *dims, low=0.0, high=1.0):
        return self.rng.uniform(low, high, dims).astype(np.float32)

    def integers(self, *dims, below):
        return self.rng.integers(0, below, dims).astype(np.int32)

    def complex(self, *dims):
        return (self.rng.standard_normal(dims) + 1j * self.rng.standard_normal(dims)).astype(np.complex64)

    def positive_definite(self, *dims):
        """Matrices of size dims[-1], as many as the dimensions before say."""
        n = dims[-1]
        a = self.rng.standard_normal((*dims, n))
        return (a @ a.swapaxes(-1, -2) / n + np.eye(n)).astype(np.float32)

    def orthogonal(self, n):
        return np.linalg.qr(self.rng.standard_normal((n, n)))[0]

    def of_condition(self, n, condition):
        """A matrix whose singular values fall evenly from 1 to 1 / condition."""
        values = np.geomspace(1, 1 / condition, n)
        return (self.orthogonal(n) * values @ self.orthogonal(n)).astype(np.float32)
