"""How far results are from the truth, in units in the last place (ulp) of their type."""

import dataclasses

import ml_dtypes
import numpy as np

# Digits of the significand behind the point, and the exponent of the smallest normal number.
FORMATS = {"float32": (23, -126), "float64": (52, -1022), "float16": (10, -14), "bfloat16": (7, -126)}
LARGEST = {"float32": float(np.finfo(np.float32).max), "float64": float(np.finfo(np.float64).max),
           "float16": 65504.0, "bfloat16": float(ml_dtypes.finfo(ml_dtypes.bfloat16).max)}


def ulp(values, dtype):
    """The distance of neighbours in the format around each of the values, which are float64 (or longer)."""
    digits, smallest = FORMATS[dtype]
    with np.errstate(all="ignore"):
        exponents = np.frexp(np.abs(values))[1] - 1
    exponents = np.where(np.isfinite(values), np.maximum(exponents, smallest), smallest)
    return np.ldexp(np.ones_like(values), exponents - digits)


def _parts(array):
    array = np.asarray(array)
    return [array.real, array.imag] if np.iscomplexobj(array) else [array]


@dataclasses.dataclass(frozen=True)
class Distance:
    """Of one result from the truth, in ulp."""

    rms: float  # the root mean square of the errors, in that of the elements' ulp
    own_rms: float  # the root mean square of each error in the element's own ulp, as CAP where it is more
    most: float  # the largest error of an element, in its own ulp
    where: tuple | None = None


# So that what one side flushes to zero, say, is no more than an error of some ulp.
CAP = 4


def distance(result, truth, dtype):
    """Infinite where one is NaN or an infinity and the other is not the same."""
    squares, ulps, own_squares, count, most, where = 0.0, 0.0, 0.0, 0, 0.0, None
    for part, true in zip(_parts(result), _parts(truth)):
        true = np.asarray(true)
        if part.shape != true.shape:
            raise ValueError(f"a result of shape {part.shape}, not {true.shape}")
        finite = np.isfinite(true)
        # What rounds to infinity in the format may be one, or the largest number.
        with np.errstate(all="ignore"):
            rounded = np.where(finite & (np.abs(true) > LARGEST[dtype]), np.copysign(np.inf, true), true)
        with np.errstate(all="ignore"):
            error = np.abs(part.astype(true.dtype) - true)
        same = (part == rounded) | (np.isnan(part) & np.isnan(true))
        unit = ulp(true, dtype)
        error = np.where(same & ~np.isfinite(rounded), 0, error)
        error = np.where(np.isnan(error), np.inf, error)
        if error.size == 0:
            continue
        own = error / unit
        worst = tuple(int(i) for i in np.unravel_index(np.argmax(own), own.shape))
        if float(own[worst]) > most:
            most, where = float(own[worst]), worst
        # In the largest ulp, as squares of the largest numbers are infinite.
        scale = np.max(np.where(finite, unit, 0), initial=np.finfo(np.float64).tiny)
        squares += float(np.sum(np.square(error / scale)))
        ulps += float(np.sum(np.square(np.where(finite, unit, 0) / scale)))
        own_squares += float(np.sum(np.square(np.minimum(own, CAP))))
        count += error.size
    return Distance(np.sqrt(squares / max(ulps, np.finfo(np.float64).tiny)), np.sqrt(own_squares / max(count, 1)),
                    most, where)
