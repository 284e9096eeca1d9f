"""The commands `acceld` and `accelctl`: they become the programs in this package."""

from __future__ import annotations

import os
import pathlib
import sys
from typing import NoReturn


def _become(name: str) -> NoReturn:
    path = pathlib.Path(__file__).parent / "bin" / name
    try:
        os.execv(path, [name, *sys.argv[1:]])
    except OSError as error:
        sys.exit(f"{name}: cannot run {path}: {error.strerror}")


def accelctl() -> NoReturn:
    _become("accelctl")


def acceld() -> NoReturn:
    _become("acceld")
