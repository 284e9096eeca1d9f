"""What random programs with host callbacks call: functions of the host, and operations whose results are exact.

All floating-point values are multiples of 1/16 between -8 and 8, which every dtype here holds, so that results do not
depend on the order of additions nor on the last bit of a sine, and can be compared for equality.
"""

import threading

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import io_callback

_lock = threading.Lock()
_seen: list[tuple] = []


def dtype_named(name):
    return np.dtype(getattr(jnp, name))


def take_seen() -> list[tuple]:
    """What callbacks have recorded since the last call: (kind, number of the callback, operands)."""
    with _lock:
        taken = list(_seen)
        _seen.clear()
    return taken


class Refusal(Exception):
    """What a callback raises that is told to."""


def _plain(operand):
    values = np.asarray(operand)
    plain = values if values.dtype.kind in "biu" else values.astype(np.complex128)
    return values.dtype.name, values.shape, tuple(plain.ravel().tolist())


def _enter(number, kind, flag, operands):
    if np.any(np.asarray(flag) == number):
        raise Refusal(f"callback {number} refuses")
    if kind != "pure":
        with _lock:
            _seen.append((kind, number, tuple(map(_plain, operands))))


def _as_integers(operand):
    values = np.asarray(operand)
    if values.dtype.kind in "biu":
        return values.astype(np.int64)
    if values.dtype.kind == "c":
        return np.round(values.real * 16).astype(np.int64) + 3 * np.round(values.imag * 16).astype(np.int64)
    return np.round(values.astype(np.float64) * 16).astype(np.int64)


def _from_integers(integers, dtype):
    dtype = dtype_named(dtype)
    if dtype.kind in "biu":
        return (integers % (2 if dtype.kind == "b" else 100)).astype(dtype)
    if dtype.kind == "c":
        return ((integers % 129 - 64) / 16 + 1j * (integers // 3 % 129 - 64) / 16).astype(dtype)
    return ((integers % 129 - 64) / 16).astype(dtype)


def _strided(array):
    """The same values, which do not lie in memory as their order says."""
    return np.flip(np.flip(np.asarray(array)).copy())


def elementwise(number, kind, dtype):
    """A function of operands of one shape, also with more axes in front."""
    def function(flag, *operands):
        _enter(number, kind, flag, operands)
        total = sum((i + 1) * _as_integers(operand) for i, operand in enumerate(operands))
        return _strided(_from_integers(total + number, dtype))
    return function


def folding(number, kind, dtype):
    """A function that adds the elements of its operand along the last axis, also with more axes in front."""
    def function(flag, operand):
        _enter(number, kind, flag, (operand,))
        return _strided(_from_integers(_as_integers(operand).sum(-1) + number, dtype))
    return function


def mixing(number, kind, *results):
    """A function of operands of any shapes to results of any shapes and dtypes."""
    def function(flag, *operands):
        _enter(number, kind, flag, operands)
        total = number + sum((i + 1) * int(_as_integers(operand).sum()) for i, operand in enumerate(operands))
        made = [_strided(_from_integers(np.arange(np.prod(shape, dtype=int)).reshape(shape) * 5 + total, dtype))
                for shape, dtype in results]
        return made[0] if len(made) == 1 else tuple(made)
    return function


def recording(number, kind):
    """A function without results."""
    def function(flag, *operands):
        _enter(number, kind, flag, operands)
    return function


def struct(shape, dtype):
    return jax.ShapeDtypeStruct(shape, dtype_named(dtype))


def smooth(number, method):
    """A sine that the host computes, with a derivative that the host computes, too."""
    def call(function, flag, x):
        def run(flag, x):
            _enter(number, "pure", flag, (x,))
            values = np.asarray(x)
            return (np.round(function(values.astype(np.float64)) * 16) / 16).astype(values.dtype)
        return jax.pure_callback(run, jax.ShapeDtypeStruct(x.shape, x.dtype), flag, x, vmap_method=method)

    @jax.custom_jvp
    def sine(flag, x):
        return call(np.sin, flag, x)

    @sine.defjvp
    def sine_jvp(primals, tangents):
        return sine(*primals), call(np.cos, *primals) * tangents[1]

    return sine


@jax.custom_jvp
def _tidy(x):
    return jnp.clip(jnp.round(jnp.where(jnp.isnan(x), 0, x) * 16) / 16, -8, 8)


_tidy.defjvp(lambda primals, tangents: (_tidy(*primals), tangents[0]))


def tidy(x):
    """Rounds floating-point values; its derivative is that of the identity."""
    if jnp.iscomplexobj(x):
        return jax.lax.complex(_tidy(x.real), _tidy(x.imag))
    return _tidy(x) if jnp.issubdtype(x.dtype, jnp.floating) else x


def cast(x, dtype):
    """Defined for all values, unlike a conversion of a negative float to an unsigned integer."""
    dtype = dtype_named(dtype)
    if x.dtype == dtype:
        return x
    x = x.real if jnp.iscomplexobj(x) else x
    inexact = jnp.issubdtype(dtype, jnp.inexact)
    if jnp.issubdtype(x.dtype, jnp.floating):
        return x.astype(dtype) if inexact else (x * 4).astype(jnp.int32).astype(dtype)
    return (x.astype(jnp.int32) & 15).astype(dtype) / 2 - 3 if inexact else x.astype(dtype)


def like(x, shape, dtype):
    """Something of this shape and dtype that depends on x."""
    x = tidy(cast(x, dtype))
    if x.size == np.prod(shape, dtype=int):
        return x.reshape(shape)
    return jnp.broadcast_to(tidy(cast(x.sum(), dtype)), shape)


def even(x):
    return like(x, (), "int32") % 2 == 0


def below(x, limit):
    """A number from 0 to limit - 1."""
    return like(x, (), "int32") % limit


def gradient(function, x):
    """Of the sum of what a function of one array gives."""
    return tidy(jax.grad(lambda x: function(x).astype(jnp.float32).sum())(x))


def namespace():
    """What the source of a program may name."""
    return {**globals(), "lax": jax.lax, "io_callback": io_callback}
