#!/usr/bin/env python3
"""Measures unmodified JAX on acceld, through the plugin, beside the same JAX on its own CPU platform.

    cmake --preset release -DACCELD_BUILD_TESTS=ON
    cmake --build --preset release -t acceld accelctl acceld_pjrt
    python3 -m venv build/jax && build/jax/bin/pip install -r tests/jax/requirements.txt
    build/jax/bin/python tests/bench/jax_plugin.py                       # all parts
    build/jax/bin/python tests/bench/jax_plugin.py --quick --only '^(calls|tiny_call|selu_1m)$'

Five parts, by the names that --only chooses from:

  calls            a warm call of a tiny jitted function: until it returns, until its result is ready, and until its
                   value is in this process; also on XLA's CPU plugin behind the same C interface, where that is there:
                   build/jax/bin/pip install --no-deps --target build/xla-cpu-pjrt xla-cpu-pjrt==0.0.1
  (a workload)     each of vs_jax.py's, as plain JAX: until its results are ready, operands on the device
  mesh_NAME        a program on four devices of the CPU, with operands divided over them, as plain JAX
  startup_NAME     from the start of a process to its first training step (against_jax/startup/), with caches that have
                   nothing of it, and with acceld's daemon and JAX's persistent cache that have met it
  four_processes   four processes of startup/gpt.py at once, 13 steps each

All sides take turns. What the workloads give is compared; one that differs is a failure. Exits with 0 if all went well,
1 if something failed or gave wrong values, 2 if nothing could be measured. JAX is that of the Python that
ACCELD_JAX_PYTHON names, or of this one, or else the newest that is in build/jax-newest or build/jax.
"""

import argparse
import contextlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

from against_jax.find_jax import use_newest_jax

use_newest_jax()

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/jax/plugin"))

try:
    import platforms
    from against_jax import plugin_parts
    from against_jax.acceld_side import Daemon, Failed
    from against_jax.machine import processor, take_cores
except ImportError as missing:
    print(f"jax_plugin.py: {missing}: pip install -r tests/jax/requirements.txt", file=sys.stderr)
    sys.exit(2)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", metavar="REGEX", help="parts and workloads whose names have a match")
    parser.add_argument("--list", action="store_true", help="print the names and end")
    parser.add_argument("--quick", action="store_true",
                        help="fewer repeats, in 2 s at most for a workload, without the slow workloads")
    parser.add_argument("--markdown", action="store_true", help="print tables as Markdown")
    parser.add_argument("--cores", type=int, metavar="N",
                        help="processor cores for each side (default: those that this process may use)")
    parser.add_argument("--bin", type=pathlib.Path, metavar="DIR",
                        default=pathlib.Path(os.environ.get("ACCELD_BIN_DIR", ROOT / "build/release/bin")),
                        help="where acceld and accelctl are (default: $ACCELD_BIN_DIR, else build/release/bin)")
    parser.add_argument("--plugin", type=pathlib.Path, metavar="FILE",
                        help="acceld's plugin (default: ../lib/acceld_pjrt.so beside --bin)")
    parser.add_argument("--stock-plugin", type=pathlib.Path, metavar="FILE",
                        default=ROOT / "build/xla-cpu-pjrt/xla_plugins/xla_cpu_pjrt/xla_cpu_pjrt.so",
                        help="XLA's CPU plugin (default: of the folder named above)")
    arguments = parser.parse_args()
    arguments.plugin = arguments.plugin or arguments.bin.parent / "lib/acceld_pjrt.so"
    try:
        re.compile(arguments.only)
    except re.error as error:
        parser.error(f"--only: {error}")
    return arguments


class Node:
    """Daemons for acceld's side, one at a time, and the environments of all sides."""

    def __init__(self, arguments, folder, cores):
        self.arguments, self.folder, self.cores = arguments, folder, cores
        self.daemons = 0
        self.daemon = None
        if not arguments.plugin.is_file():
            raise Failed(f"no plugin at {arguments.plugin}: build it (cmake --build --preset release -t acceld_pjrt), "
                         "or name it with --plugin")

    def start_daemon(self, devices=1):
        """A daemon whose cache is empty, instead of the one before; gives the environment of acceld's side."""
        self.stop_daemon()
        self.daemons += 1
        folder = self.folder / f"daemon{self.daemons}"
        folder.mkdir()
        self.daemon = Daemon(self.arguments.bin, folder, "cpu", self.cores, devices)
        end = time.monotonic() + 30
        while self.ask_daemon("devices").returncode != 0:
            if time.monotonic() > end:
                raise Failed(f"the daemon does not answer: {self.daemon.log.read_text()[-1000:]}")
            time.sleep(0.05)
        time.sleep(plugin_parts.SETTLING)
        return platforms.acceld_environment(self.folder, str(self.arguments.plugin), self.daemon.address)

    def ask_daemon(self, *command):
        return subprocess.run([self.arguments.bin / "accelctl", "--address", self.daemon.address, *command],
                              capture_output=True, text=True)

    def programs_compiled(self):
        """How many programs the daemon has compiled since its start."""
        stats = self.ask_daemon("stats", "--json")
        if stats.returncode != 0:
            raise Failed(f"accelctl stats: {stats.stderr[-300:]}")
        return json.loads(stats.stdout)["compiles"]

    def stop_daemon(self):
        if self.daemon is not None:
            self.daemon.stop()
            self.daemon = None

    def cpu_environment(self, cache=None, devices=1):
        """Of JAX's CPU platform with so many devices; with all that it compiles kept in the folder `cache`, if one is given."""
        kept = {"JAX_COMPILATION_CACHE_DIR": str(cache), "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
                "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "0"} if cache else {}
        return {**platforms.cpu_environment(devices), **kept}

    def stock_environment(self):
        """Of XLA's CPU plugin; none where it is not there."""
        file = self.arguments.stock_plugin
        return {**platforms.cpu_environment(), "JAX_PLATFORMS": "xlacpu",
                "PJRT_NAMES_AND_LIBRARY_PATHS": f"xlacpu:{file}"} if file.is_file() else None


def main():
    arguments = parse_arguments()
    try:
        cores = take_cores(arguments.cores)
    except ValueError as error:
        print(f"jax_plugin.py: {error}", file=sys.stderr)
        return 2
    os.environ["JAX_PLATFORMS"] = "cpu"  # of this process, which only reads the workloads' list
    parts = [one for one in plugin_parts.parts(arguments.quick) if re.search(arguments.only, one.name)]
    if arguments.list or not parts:
        print("\n".join(one.name for one in parts) or f"nothing's name matches {arguments.only!r}; --list prints them",
              file=sys.stdout if parts else sys.stderr)
        return 0 if parts else 2
    import jax

    failures = []
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        try:
            node = Node(arguments, pathlib.Path(folder), cores)
            stack.callback(node.stop_daemon)
            print(f"{time.strftime('%Y-%m-%d %H:%M')}; {cores} cores of {processor()}; JAX {jax.__version__}; load "
                  f"average {os.getloadavg()[0]:.1f} at first\n")
            for group, measure in plugin_parts.GROUPS:
                chosen = [one for one in parts if one.group == group]
                if chosen:
                    failures += measure(node, chosen, arguments)
                    print(flush=True)
        except Failed as failed:
            print(f"jax_plugin.py: {failed}", file=sys.stderr)
            return 2
    print(f"load average {os.getloadavg()[0]:.1f} at the end")
    for failure in failures:
        print(f"FAILED {failure}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
