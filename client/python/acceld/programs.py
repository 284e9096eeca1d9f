"""The programs `acceld` and `accelctl` in this package, and the commands of these names, which become them."""

from __future__ import annotations

import os
import pathlib
import shutil
import sys
from typing import NoReturn


def _inside(name: str) -> pathlib.Path:
    return pathlib.Path(__file__).parent / "bin" / name


def path(name: str) -> pathlib.Path:
    """Where the program is: in this package, or else in the PATH."""
    if _inside(name).is_file():
        return _inside(name)
    found = shutil.which(name)
    if found is None:
        raise FileNotFoundError(f"{name} is neither at {_inside(name)} nor in the PATH")
    return pathlib.Path(found)


def _become(name: str) -> NoReturn:
    program = _inside(name)
    try:
        os.execv(program, [name, *sys.argv[1:]])
    except OSError as error:
        sys.exit(f"{name}: cannot run {program}: {error.strerror}")


def accelctl() -> NoReturn:
    _become("accelctl")


def acceld() -> NoReturn:
    _become("acceld")
