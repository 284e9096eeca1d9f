#!/usr/bin/env python3
"""How a daemon's start and its hits change as its cache grows. For each number of entries in the folder, prints how
long a new daemon takes until a client has a session, and how long Compile of a program takes that is in the folder
(disk) and then in memory (memory); then the same of a daemon in which many programs were registered and compiled.
The least of several, in milliseconds; nothing here should depend on the number.

The folder is by default in /dev/shm: entries are flushed to the medium one by one, which takes long elsewhere. A
folder that is named stays, and is filled further by the next run.

  growth_cache.py --bin build/release/bin
  growth_cache.py --bin build/release/bin --entries 100,100000 --programs 100
  growth_cache.py --bin build/release/bin --folder /var/tmp/cache --entries 100000 --programs 0
"""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import growth  # noqa: E402

REPEATS = 7


def program(number: int) -> str:
    """A small program that differs from those of other numbers."""
    return (f"func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {{\n"
            f"  %c = stablehlo.constant dense<{number}.25> : tensor<8xf32>\n"
            f"  %r = stablehlo.add %x, %c : tensor<8xf32>\n  return %r : tensor<8xf32>\n}}\n")


def compile_ms(daemon: growth.Daemon, file: pathlib.Path, verdict: str) -> float:
    """How long the client waits for Compile, which must find the program there."""
    answer = daemon.ask({"command": "compile", "program": str(file)})
    if answer.get("verdict") != verdict:
        raise SystemExit(f"expected a hit in the {verdict}: {answer}")
    return answer["compile_ns"] / 1e6


def start_and_hit(binaries: pathlib.Path, folder: pathlib.Path, file: pathlib.Path) -> list[float]:
    """Milliseconds of the start, of a hit on disk and of a hit in memory."""
    began = time.monotonic()
    daemon = growth.Daemon(binaries, folder, keeps=True)
    started_ms = (time.monotonic() - began) * 1000
    disk_ms = compile_ms(daemon, file, "disk")
    memory_ms = min(compile_ms(daemon, file, "memory") for _ in range(REPEATS))
    daemon.close()
    return [started_ms, disk_ms, memory_ms]


def least(rows: list[list[float]]) -> str:
    return "".join(f"{min(column):12.2f}" for column in zip(*rows))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, required=True,
                        help="the folder of acceld, timing_client and fill_cache")
    parser.add_argument("--folder", type=pathlib.Path, help="where the cache is; it stays there")
    parser.add_argument("--entries", default="100,1000,10000,100000", help="with commas between them")
    parser.add_argument("--programs", default="100,1000,10000",
                        help="numbers of programs in one daemon, with commas between them; 0: none")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(dir="/dev/shm") as name:
        folder = arguments.folder or pathlib.Path(name)
        file = pathlib.Path(name) / "program.mlir"
        file.write_text(program(0))
        daemon = growth.Daemon(arguments.bin, folder, keeps=True)
        daemon.ask({"command": "compile", "program": str(file)})
        daemon.close()
        print(f"{'entries':>10}{'start ms':>12}{'disk ms':>12}{'memory ms':>12}", flush=True)
        for count in [int(count) for count in arguments.entries.split(",")]:
            subprocess.run([arguments.bin / "fill_cache", folder / "cache", str(count)], check=True,
                           stdout=subprocess.DEVNULL)
            rows = [start_and_hit(arguments.bin, folder, file) for _ in range(REPEATS)]
            print(f"{count:10}{least(rows)}", flush=True)
        counts = [int(count) for count in arguments.programs.split(",") if count != "0"]
        if not counts:
            return os.EX_OK
        print(f"{'programs':>10}{'memory ms':>12}", flush=True)
        daemon = growth.Daemon(arguments.bin, folder, keeps=True)
        registered = 0
        other = pathlib.Path(name) / "other.mlir"
        compile_ms(daemon, file, "disk")
        for count in counts:
            for number in range(registered + 1, count + 1):
                other.write_text(program(number))
                answer = daemon.ask({"command": "compile", "program": str(other), "keep": True})
                if "error" in answer:
                    raise SystemExit(answer["error"])
            registered = max(registered, count)
            print(f"{count:10}{least([[compile_ms(daemon, file, 'memory')] for _ in range(4 * REPEATS)])}",
                  flush=True)
        daemon.close()
    return os.EX_OK


if __name__ == "__main__":
    sys.exit(main())
