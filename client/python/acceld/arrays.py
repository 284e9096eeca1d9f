"""Arrays with a name: what one program publishes, others open without another upload."""

from __future__ import annotations

from typing import TYPE_CHECKING

from acceld import dtypes, native

if TYPE_CHECKING:
    import jax


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
    if dtype not in dtypes.by_number():
        raise TypeError(f"open {name!r}: NumPy has no element type for PJRT's {dtype}")
    (device,) = (device for device in jax.devices("acceld") if device.id == device_id)
    with jax.enable_x64(True):
        # The plugin takes the shape and the type, and reads none of these bytes.
        return jax.device_put(np.empty(shape, dtypes.by_number()[dtype]), device)


def drop(name: str) -> None:
    """Forgets a name. Programs that have opened the array keep it."""
    native.drop(name)
