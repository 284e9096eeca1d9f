"""Limits for what a part of a program runs, as context managers. Each holds for the thread that enters it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from acceld import native


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
