"""Arrays with a name: what one program publishes, others open without another upload."""

from __future__ import annotations

from typing import TYPE_CHECKING

from acceld import native

if TYPE_CHECKING:
    import jax

# The element types of the PJRT C API (PJRT_Buffer_Type) by number, as NumPy and ml_dtypes name them.
_DTYPES = {
    1: "bool", 2: "int8", 3: "int16", 4: "int32", 5: "int64", 6: "uint8", 7: "uint16", 8: "uint32", 9: "uint64",
    10: "float16", 11: "float32", 12: "float64", 13: "bfloat16", 14: "complex64", 15: "complex128", 16: "float8_e5m2",
    17: "float8_e4m3fn", 18: "float8_e4m3b11fnuz", 19: "float8_e5m2fnuz", 20: "float8_e4m3fnuz", 21: "int4",
    22: "uint4", 24: "int2", 25: "uint2", 26: "float8_e4m3", 27: "float8_e3m4", 28: "float8_e8m0fnu",
    29: "float4_e2m1fn",
}


def publish(name: str, array: jax.Array, *, for_everyone: bool = False, replace: bool = False) -> None:
    """Gives an array a name, by which other programs of this user, or everyone's, can open it.

    The daemon keeps the array as long as it has the name, also when this program has ended. Blocks until the value is
    there. Raises a JaxRuntimeError when the name is taken (unless `replace`), is another user's, or when the daemon does
    not let this user publish for everyone, and the array's own error if it has one.
    """
    shards = array.addressable_shards
    if len(shards) != 1:
        raise ValueError(f"publish {name!r}: the array is on {len(shards)} devices; it has to be on one")
    native.publish(shards[0].data.unsafe_buffer_pointer(), name, for_everyone, replace)


def open(name: str) -> jax.Array:
    """The array of that name, on the device where it is. Nothing is copied. Raises a JaxRuntimeError when there is
    none, or it is not for this user."""
    import jax
    import numpy as np

    dtype, shape, device_id = native.open(name)
    if dtype not in _DTYPES:
        raise TypeError(f"open {name!r}: NumPy has no element type for PJRT's {dtype}")
    (device,) = (device for device in jax.devices("acceld") if device.id == device_id)
    with jax.enable_x64(True):
        # The plugin takes the shape and the type, and reads none of these bytes.
        return jax.device_put(np.empty(shape, jax.numpy.dtype(_DTYPES[dtype])), device)


def drop(name: str) -> None:
    """Forgets a name. Programs that have opened the array keep it."""
    native.drop(name)
