#!/usr/bin/env python3
"""How long compiling and calling takes as programs grow. Prints, for each family of programs and each size, the time
per op (or per argument, per constant, and so on) and its ratio to that of the first size: about 1 where the time is
linear in the size. Below that ratio is what a program costs whatever its size.

It starts a daemon of its own, which keeps nothing it compiles. "read" is the client's time from the text to a verified
program, "compile" what it then waits for the daemon, and "processor" the time that processors spend on the daemon
meanwhile, which varies least when the machine has other work.

  growth.py --bin build/release/bin
  growth.py --bin build/release/bin --family chain --sizes 100,1000,10000
  growth.py --bin build/release/bin --submit --family updated_arguments --sizes 100,1000,5000
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import programs  # noqa: E402


class Daemon:
    """A daemon on a socket in `folder`, and a client of it."""

    def __init__(self, binaries: pathlib.Path, folder: pathlib.Path, keeps: bool, more: tuple[str, ...] = ()):
        address = f"unix:{folder}/acceld.sock"
        keeping = [] if keeps else ["--no-disk-cache", "--cache-memory-size", "0"]
        self.log = open(folder / "acceld.log", "ab")
        self.process = subprocess.Popen(
            ["setpriv", "--pdeathsig", "TERM", binaries / "acceld", "--listen", address, "--cuda-devices", "none",
             *keeping, "--cache-dir", folder / "cache", *more], stderr=self.log)
        self.client = subprocess.Popen([binaries / "timing_client", "--address", address], stdin=subprocess.PIPE,
                                       stdout=subprocess.PIPE, text=True)
        json.loads(self.client.stdout.readline())

    def ask(self, command: dict) -> dict:
        """The client's answer."""
        self.client.stdin.write(json.dumps(command) + "\n")
        self.client.stdin.flush()
        return json.loads(self.client.stdout.readline())

    def processor_ns(self) -> int:
        """The time that processors have spent on the daemon."""
        return time.clock_gettime_ns((~self.process.pid << 3) | 2)  # clock_getcpuclockid(3)

    def peak_bytes(self) -> tuple[int, int]:
        """The most memory that the daemon and the client have used."""
        return tuple(_peak(process.pid) for process in (self.process, self.client))

    def close(self) -> None:
        self.client.stdin.close()
        self.client.wait()
        self.process.terminate()
        self.process.wait()
        self.log.close()


def _peak(pid: int) -> int:
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    return 0


def measure(daemon: Daemon, file: pathlib.Path, submit: bool, repeats: int) -> tuple[list[int] | None, str]:
    """The columns of times, in nanoseconds, each the least of several; or why there are none."""
    command = {"command": "submit", "calls": 15} if submit else {"command": "compile"}
    best = None
    for _ in range(repeats):
        began_ns = daemon.processor_ns()
        answer = daemon.ask({**command, "program": str(file)})
        if "error" in answer:
            return None, answer["error"][:200]
        answer["processor_ns"] = daemon.processor_ns() - began_ns
        times = [answer[column] for column in COLUMNS[submit]]
        best = times if best is None else [min(pair) for pair in zip(best, times)]
    return best, ""


COLUMNS = {False: ["read_ns", "compile_ns", "processor_ns"], True: ["submit_ns", "elapsed_ns"]}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, required=True, help="the folder of acceld and timing_client")
    parser.add_argument("--family", action="append", choices=programs.FAMILIES, help="only this one; repeatable")
    parser.add_argument("--sizes", default="100,1000,10000,100000", help="sizes, with commas between them")
    parser.add_argument("--submit", action="store_true",
                        help="time warm calls instead: until the call returns, and until its results are there")
    parser.add_argument("--repeats", type=int, default=2, help="the least of so many is taken")
    parser.add_argument("--stop-after", type=float, default=60, metavar="SECONDS",
                        help="larger sizes are left out once one takes longer")
    arguments = parser.parse_args()
    sizes = [int(size) for size in arguments.sizes.split(",")]
    columns = [column.removesuffix("_ns") for column in COLUMNS[arguments.submit]]
    print(f"{'family':24}{'size':>8}" + "".join(f"{column + ' ms':>12}{'us each':>10}{'ratio':>7}"
                                                 for column in columns), flush=True)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for family in arguments.family or programs.FAMILIES:
            generate, largest = programs.FAMILIES[family]
            daemon = Daemon(arguments.bin, folder, keeps=arguments.submit)
            first = None
            for size in sizes:
                if size > largest:
                    continue
                file = folder / f"{family}.mlir"
                file.write_text(generate(size))
                times, error = measure(daemon, file, arguments.submit, arguments.repeats)
                if times is None:
                    print(f"{family:24}{size:8}  {error}", flush=True)
                    continue
                each = [time / size / 1000 for time in times]
                first = first or each
                print(f"{family:24}{size:8}" + "".join(
                    f"{time / 1e6:12.2f}{one:10.2f}{one / base:7.2f}"
                    for time, one, base in zip(times, each, first)), flush=True)
                if max(times) > arguments.stop_after * 1e9:
                    break
            daemon.close()
    return os.EX_OK


if __name__ == "__main__":
    sys.exit(main())
