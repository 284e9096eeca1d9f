"""The machine that both sides run on."""

import os
import pathlib
import platform
import re


def take_cores(wanted):
    """Keeps this process, and those that it starts, to so many cores (none: to those that it has), and gives their
    number. JAX counts them when it is imported. ValueError if there are not so many."""
    allowed = sorted(os.sched_getaffinity(0))
    if wanted is None:
        return len(allowed)
    if not 0 < wanted <= len(allowed):
        raise ValueError(f"--cores {wanted}: this process may use {len(allowed)}")
    os.sched_setaffinity(0, allowed[:wanted])
    return wanted


def processor():
    try:
        return re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())[1]
    except (OSError, TypeError):
        return platform.machine()
