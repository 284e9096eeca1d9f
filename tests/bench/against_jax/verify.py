"""Whether results are what they should be."""

import numpy as np

from .program import as_numbers, sample_places


def largest_error(actual, expected):
    """Of an array against an Expected: the largest difference to the largest magnitude expected; infinite where they
    are not the same kind of thing, or where one is not a number and the other is."""
    if actual.shape != tuple(expected.shape) or actual.dtype.str != expected.dtype:
        return float("inf")
    if expected.sampled:
        actual = actual.reshape(-1)[sample_places(actual.size)]
    actual, wanted = as_numbers(actual), as_numbers(expected.values)
    equal = (actual == wanted) | ((actual != actual) & (wanted != wanted))
    if equal.all():
        return 0.0
    if actual.dtype.kind in "biu":
        return float("inf")
    with np.errstate(invalid="ignore", over="ignore"):
        differences = np.abs(np.subtract(actual, wanted, where=~equal, out=np.zeros_like(actual)))
    if not np.isfinite(differences).all() or expected.scale == 0:
        return float("inf")
    return float(differences.max()) / expected.scale


def worst_error(actual, expected):
    """Of all results; infinite if there are too few or too many."""
    if len(actual) != len(expected):
        return float("inf")
    return max((largest_error(one, wanted) for one, wanted in zip(actual, expected)), default=0.0)
