"""What holds for the executions of a part of a program, as context managers, for the thread that enters them."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from acceld import native

# Acceld_Priority.
_PRIORITIES = {"batch": 0, "normal": 1, "interactive": 2}


@contextlib.contextmanager
def timeout(seconds: float) -> Iterator[None]:
    """Executions that are started inside end after so much time: their arrays then fail with DEADLINE_EXCEEDED.

    The time counts from when the daemon has got the execution, by its clock; waiting for arguments, for the compiler and
    for other work counts.
    """
    if seconds < 0:
        raise ValueError(f"a timeout of {seconds} s")
    before = native.set_timeout_ms(round(seconds * 1000))
    try:
        yield
    finally:
        native.set_timeout_ms(before)


@contextlib.contextmanager
def priority(name: str) -> Iterator[None]:
    """Executions that are started inside have this priority: "interactive", "normal" or "batch".

    It says whose work goes first, among all programs that want the device. Executions of one program that have
    different priorities are ordered by the arrays that they read alone: what is interactive does not wait for what this
    program has started as batch work before, unless it reads the results. These then still have the lower priority.
    """
    if name not in _PRIORITIES:
        raise ValueError(f"there is no priority {name!r}; there are {', '.join(_PRIORITIES)}")
    before = native.set_priority(_PRIORITIES[name])
    try:
        yield
    finally:
        native.set_priority(before)
