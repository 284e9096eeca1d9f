#!/usr/bin/env python3
"""How much memory programs with large constants take. For each size, prints the most memory that the client and the
daemon used while such a program was compiled and kept, and that a new daemon used which found it on disk, each less
what they used before, as multiples of the constant's bytes. The program is text, of which two characters are a byte.

  growth_constants.py --bin build/release/bin
  growth_constants.py --bin build/release/bin --mib 1000 --folder /var/tmp
"""

import argparse
import os
import pathlib
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import growth  # noqa: E402

MIB = 1 << 20
# Until the entry is on disk, which nobody waits for.
SETTLING_S = 3


def write_program(file: pathlib.Path, mib: int) -> None:
    """A program that reads one element of a constant, of which no two MiB are equal."""
    elements = mib * MIB // 4
    block = bytes(byte & 0x3F for byte in os.urandom(MIB)).hex().upper()
    constant = f"tensor<{elements}xf32>"
    with open(file, "w") as out:
        out.write(f'func.func @main(%i: tensor<i32>) -> tensor<1xf32> {{\n  %c = stablehlo.constant dense<"0x')
        for number in range(mib):
            out.write(block[:-8] + f"{number:08X}")
        out.write(f'"> : {constant}\n  %r = stablehlo.dynamic_slice %c, %i, sizes = [1] : ({constant}, tensor<i32>) '
                  "-> tensor<1xf32>\n  return %r : tensor<1xf32>\n}\n")


def compile_once(binaries: pathlib.Path, folder: pathlib.Path, file: pathlib.Path, verdict: str) -> tuple[int, int]:
    """The peaks of daemon and client, in bytes, above what they used at the start."""
    daemon = growth.Daemon(binaries, folder, keeps=True, more=("--prepared-memory", "0"))
    before = daemon.peak_bytes()
    answer = daemon.ask({"command": "compile", "program": str(file), "keep": True})
    if answer.get("verdict") != verdict:
        raise SystemExit(f"expected the verdict {verdict}: {answer}")
    time.sleep(SETTLING_S)
    peaks = daemon.peak_bytes()
    daemon.close()
    return peaks[0] - before[0], peaks[1] - before[1]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, required=True, help="the folder of acceld and timing_client")
    parser.add_argument("--folder", help="where programs and cache are written meanwhile")
    parser.add_argument("--mib", default="16,64,256", help="sizes of the constant in MiB, with commas between them")
    arguments = parser.parse_args()
    print(f"{'MiB':>6}{'client':>10}{'daemon':>10}{'from disk':>12}", flush=True)
    for mib in [int(mib) for mib in arguments.mib.split(",")]:
        with tempfile.TemporaryDirectory(dir=arguments.folder) as name:
            folder = pathlib.Path(name)
            file = folder / "program.mlir"
            write_program(file, mib)
            daemon, client = compile_once(arguments.bin, folder, file, "miss")
            from_disk, _ = compile_once(arguments.bin, folder, file, "disk")
            print(f"{mib:6}" + "".join(f"{peak / MIB / mib:10.2f}" for peak in (client, daemon))
                  + f"{from_disk / MIB / mib:12.2f}", flush=True)
    return os.EX_OK


if __name__ == "__main__":
    sys.exit(main())
