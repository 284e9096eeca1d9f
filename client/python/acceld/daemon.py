"""What the daemon says of itself."""

from __future__ import annotations

import json
import subprocess
from typing import Any

from acceld import programs


def _devices() -> list[Any]:
    import jax

    return jax.devices("acceld")


def connect_info() -> dict[str, Any]:
    """The daemon that JAX is connected to: its address and version, and its devices with JAX's numbers of them."""
    devices = _devices()
    return {
        "address": devices[0].daemon_address,
        "daemon_version": devices[0].daemon_version,
        "devices": [{"id": device.id, "kind": device.kind, "ordinal": device.ordinal, "name": device.device_kind,
                     "architecture": device.architecture, "memory_limit_bytes": device.memory_limit_bytes}
                    for device in devices],
    }


def ask(*arguments: str, answers: tuple[int, ...] = (0,)) -> Any:
    """What accelctl answers to these arguments, which include --json, at the daemon that JAX is connected to. It has to
    end with one of the codes in `answers`."""
    command = [str(programs.path("accelctl")), "--address", _devices()[0].daemon_address, *arguments]
    run = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if run.returncode not in answers:
        raise RuntimeError(run.stderr.strip() or f"accelctl ended with {run.returncode}")
    return json.loads(run.stdout)


def stats() -> dict[str, Any]:
    """The daemon's counters: compiles, executions, how executables were found, arrays and bytes. `accelctl stats`."""
    return ask("stats", "--json")
