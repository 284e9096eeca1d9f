"""The element types of the PJRT C API (PJRT_Buffer_Type) and NumPy's."""

from __future__ import annotations

import functools
from typing import Any

# By number, as NumPy and ml_dtypes name them.
NAMES = {
    1: "bool", 2: "int8", 3: "int16", 4: "int32", 5: "int64", 6: "uint8", 7: "uint16", 8: "uint32", 9: "uint64",
    10: "float16", 11: "float32", 12: "float64", 13: "bfloat16", 14: "complex64", 15: "complex128", 16: "float8_e5m2",
    17: "float8_e4m3fn", 18: "float8_e4m3b11fnuz", 19: "float8_e5m2fnuz", 20: "float8_e4m3fnuz", 21: "int4",
    22: "uint4", 24: "int2", 25: "uint2", 26: "float8_e4m3", 27: "float8_e3m4", 28: "float8_e8m0fnu",
    29: "float4_e2m1fn",
}


@functools.cache
def by_number() -> dict[int, Any]:
    """NumPy's dtypes of those types that this version of ml_dtypes has."""
    import jax.numpy as jnp

    found = {}
    for number, name in NAMES.items():
        try:
            found[number] = jnp.dtype(name)
        except TypeError:
            pass
    return found


@functools.cache
def numbers() -> dict[Any, int]:
    return {dtype: number for number, dtype in by_number().items()}
