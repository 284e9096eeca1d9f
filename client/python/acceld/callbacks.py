"""Python functions that programs call while they run: pure_callback, io_callback, jax.debug.print and their like.

A program has the calls as custom calls with numbers from 0 on (common/ir/calls/host_callback.h), so that equal programs of
different processes are one in the cache. Which functions they mean, the plugin is told when the program is compiled.
"""

from __future__ import annotations

import atexit
import ctypes
import itertools
import threading
import traceback
from collections.abc import Callable, Sequence
from typing import Any

from acceld import dtypes, native

Function = Callable[..., Sequence[Any]]

_lock = threading.Lock()
_functions: dict[int, Function] = {}
_ids = itertools.count(1)


def _operand(array: native.HostArray) -> Any:
    import numpy as np

    data = ctypes.string_at(array.data, array.size_bytes)  # a copy: functions may keep what they get
    return np.frombuffer(data, dtypes.by_number()[array.type]).reshape(array.dims[: array.num_dims])


def _add_result(answer: int, add_result: Any, value: Any) -> None:
    import numpy as np

    value = np.asarray(value)
    data = value.tobytes()  # row-major
    dims = (ctypes.c_int64 * value.ndim)(*value.shape)
    array = native.HostArray(dtypes.numbers()[value.dtype], dims, value.ndim,
                             ctypes.cast(ctypes.c_char_p(data), ctypes.c_void_p), len(data))
    add_result(answer, ctypes.byref(array))


@native.PythonCallback
def _call(number: int, operands: Any, num_operands: int, answer: int, add_result: Any, set_error: Any) -> None:
    try:
        function = _functions[number]
        for value in function(*[_operand(operands[i]) for i in range(num_operands)]):
            _add_result(answer, add_result, value)
    except BaseException:  # whatever it is, the execution has to hear of it
        text = traceback.format_exc().encode()
        set_error(answer, text, len(text))


def register(functions: Sequence[Function]) -> list[int]:
    """Numbers for functions, each of which takes NumPy arrays and gives a sequence of them."""
    with _lock:
        for number in native.take_released_callbacks():
            _functions.pop(number, None)
        numbers = [next(_ids) for _ in functions]
        _functions.update(zip(numbers, functions))
    return numbers


def _end() -> None:
    """Lets effects that are under way take place. A thread that comes for the interpreter later would never go on."""
    import jax

    try:
        jax.effects_barrier()
    except Exception:  # noqa: BLE001  whose error it is, nobody is left to ask; JAX prints it, too
        pass
    native.set_python_callback(None)


def initialize() -> None:
    native.set_python_callback(_call)
    atexit.register(_end)
