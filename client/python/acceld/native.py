"""The functions of the plugin's shared object that JAX has no word for (client/pjrt/extensions/acceld.h)."""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Callable
from typing import Any

from acceld import library

_EXTENSION_TYPE = 0x61636364
_MAX_DIMS = 32


class _Base(ctypes.Structure):
    pass


_Base._fields_ = [("struct_size", ctypes.c_size_t), ("type", ctypes.c_int), ("next", ctypes.POINTER(_Base))]

_Error = ctypes.c_void_p
_Size = ctypes.c_size_t


class HostArray(ctypes.Structure):
    """An array in host memory, row-major. The type is a PJRT_Buffer_Type."""

    _fields_ = [("type", ctypes.c_int), ("dims", ctypes.POINTER(ctypes.c_int64)), ("num_dims", _Size),
                ("data", ctypes.c_void_p), ("size_bytes", _Size)]


_AddResult = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.POINTER(HostArray))
_SetError = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p, _Size)
# Called with the number of a function, its operands and how many there are, and what it answers with.
PythonCallback = ctypes.CFUNCTYPE(None, ctypes.c_uint64, ctypes.POINTER(HostArray), _Size, ctypes.c_void_p, _AddResult,
                                  _SetError)


class _Extension(ctypes.Structure):
    _fields_ = [
        ("base", _Base),
        ("publish", ctypes.CFUNCTYPE(_Error, ctypes.c_void_p, ctypes.c_char_p, _Size, ctypes.c_bool, ctypes.c_bool)),
        ("open", ctypes.CFUNCTYPE(_Error, ctypes.c_void_p, ctypes.c_char_p, _Size, ctypes.POINTER(ctypes.c_int),
                                  ctypes.POINTER(ctypes.c_int64), _Size, ctypes.POINTER(_Size),
                                  ctypes.POINTER(ctypes.c_int))),
        ("fetch_ahead", ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p)),
        ("drop", ctypes.CFUNCTYPE(_Error, ctypes.c_void_p, ctypes.c_char_p, _Size)),
        ("set_timeout_ms", ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)),
        ("set_priority", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)),
        ("client", ctypes.CFUNCTYPE(ctypes.c_void_p)),
        ("set_python_callback", ctypes.CFUNCTYPE(None, PythonCallback)),
        ("take_released_callbacks", ctypes.CFUNCTYPE(_Size, ctypes.POINTER(ctypes.c_uint64), _Size)),
    ]


class _Message(ctypes.Structure):
    _fields_ = [("struct_size", _Size), ("extension_start", ctypes.c_void_p), ("error", ctypes.c_void_p),
                ("message", ctypes.POINTER(ctypes.c_char)), ("message_size", _Size)]


class _Api(ctypes.Structure):
    """The beginning of PJRT_Api."""

    _fields_ = [
        ("struct_size", _Size), ("extension_start", ctypes.POINTER(_Base)),
        ("version_struct_size", _Size), ("version_extension_start", ctypes.c_void_p),
        ("major_version", ctypes.c_int), ("minor_version", ctypes.c_int),
        ("error_destroy", ctypes.CFUNCTYPE(None, ctypes.POINTER(_Message))),
        ("error_message", ctypes.CFUNCTYPE(None, ctypes.POINTER(_Message))),
    ]


@functools.cache
def _api() -> _Api:
    get_api = ctypes.CDLL(str(library.path())).GetPjrtApi
    get_api.restype = ctypes.POINTER(_Api)
    return get_api().contents


@functools.cache
def _extension() -> _Extension:
    base = _api().extension_start
    while base:
        if base.contents.type == _EXTENSION_TYPE:
            return ctypes.cast(base, ctypes.POINTER(_Extension)).contents
        base = base.contents.next
    raise RuntimeError(f"{library.path()} is not acceld's plugin of this version")


def _check(error: int | None) -> None:
    """Raises the error that a function has returned, as JAX would."""
    if not error:
        return
    from jax.errors import JaxRuntimeError

    arguments = _Message(ctypes.sizeof(_Message), None, error, None, 0)
    _api().error_message(ctypes.byref(arguments))
    message = ctypes.string_at(arguments.message, arguments.message_size).decode(errors="replace")
    _api().error_destroy(ctypes.byref(arguments))
    raise JaxRuntimeError(message)


def _client() -> int:
    client = _extension().client()
    if not client:
        raise RuntimeError("JAX has no session with an acceld daemon: is JAX_PLATFORMS=acceld set?")
    return client


def publish(buffer: int, name: str, for_everyone: bool, replace: bool) -> None:
    text = name.encode()
    _check(_extension().publish(buffer, text, len(text), for_everyone, replace))


def open(name: str) -> tuple[int, tuple[int, ...], int]:
    """The element type (a PJRT_Buffer_Type), the shape and the device's id of the array, which is the next of that type
    that this thread makes from host memory."""
    text = name.encode()
    dtype, device, rank = ctypes.c_int(), ctypes.c_int(), _Size()
    dims = (ctypes.c_int64 * _MAX_DIMS)()
    _check(_extension().open(_client(), text, len(text), ctypes.byref(dtype), dims, _MAX_DIMS, ctypes.byref(rank),
                             ctypes.byref(device)))
    return dtype.value, tuple(dims[: rank.value]), device.value


def drop(name: str) -> None:
    text = name.encode()
    _check(_extension().drop(_client(), text, len(text)))


def fetch_ahead() -> Callable[[int], bool]:
    """What says of a buffer whether its value can be fetched without waiting for it. ctypes makes a function anew each
    time that it is asked for, which takes longer than the call."""
    return _extension().fetch_ahead


def set_timeout_ms(timeout_ms: int) -> int:
    return _extension().set_timeout_ms(timeout_ms)


def set_priority(priority: int) -> int:
    return _extension().set_priority(priority)


def set_python_callback(callback: Any) -> None:
    """From now on host callbacks are called through this PythonCallback, which the caller keeps; None: they fail."""
    _extension().set_python_callback(callback if callback is not None else PythonCallback(0))


def take_released_callbacks() -> list[int]:
    """Numbers of functions that nothing calls any more."""
    room = 64
    ids = (ctypes.c_uint64 * room)()
    return list(ids[: _extension().take_released_callbacks(ids, room)])
