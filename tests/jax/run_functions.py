#!/usr/bin/env python3
"""Runs every row of a table on a daemon of its own, as text and as portable bytecode, and compares with JAX.

    tests/jax/run_functions.py functions|library_functions BIN [NAME...] [--old-artifacts STEP] [--beside-newest STEP]

BIN is the folder with acceld and accelctl; with names, only the rows whose names hold one of them. One row of STEP also
runs as an artifact of each of artifact_versions.py's versions; 1 stands for every row, and 0, the default, for none.
With --beside-newest the older JAX runs one row of STEP, if the newest is there to run all of them. Needs what
requirements.txt (or requirements-newest.txt) names, on the CPU. Prints a line for each failure and `N passed, N failed`
at the end; exits with 1 if any failed, with 77 if JAX is not there.
"""

from harness import Daemon, difference, rows_for_this_jax, split_tolerance  # first: it finds JAX

import argparse
import importlib
import pathlib
import re
import sys
import tempfile

import jax
import jax.export
import numpy as np
from artifact_versions import at_versions


def parse_arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("table")
    parser.add_argument("binaries", type=pathlib.Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--old-artifacts", type=int, default=0, metavar="STEP")
    parser.add_argument("--beside-newest", type=int, default=1, metavar="STEP")
    return parser.parse_intermixed_args()


def forms_of(folder, text, exported, with_old_artifacts):
    """(what to call it, file) for each form of the program."""
    (folder / "program.mlir").write_text(text)
    yield "text", folder / "program.mlir"
    artifacts = [("bytecode", exported.mlir_module_serialized)]
    if with_old_artifacts:
        artifacts += [(f"bytecode of {version}", artifact) for version, artifact in at_versions(exported)]
    for form, artifact in artifacts:
        (folder / "program.mlirbc").write_bytes(artifact)
        yield form, folder / "program.mlirbc"


def main():
    options = parse_arguments()
    table = importlib.import_module(options.table)
    rows = [row for row in table.FUNCTIONS if not options.names or any(name in row[0] for name in options.names)]
    rows = rows_for_this_jax(rows, options.beside_newest)
    passed = failures = 0
    print(f"JAX {jax.__version__} on Python {sys.version.split()[0]}", flush=True)
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        daemon = Daemon(options.binaries, folder)
        for number, (name, function, *arguments) in enumerate(rows, 1):
            arguments, tolerance = split_tolerance(arguments)
            jitted = jax.jit(function, keep_unused=True)
            expected = [np.asarray(leaf) for leaf in jax.tree.leaves(jitted(*arguments))]
            leaves = [np.asarray(leaf) for leaf in jax.tree.leaves(arguments)]
            module = jitted.lower(*arguments).as_text()
            # JAX promises nothing for some of its calls in artifacts of other versions; these are of this one.
            calls = [jax.export.DisabledSafetyCheck.custom_call(target)
                     for target in set(re.findall(r"custom_call @(\w+)", module))]
            exported = jax.export.export(jitted, disabled_checks=calls)(*arguments)
            with_old_artifacts = options.old_artifacts > 0 and number % options.old_artifacts == 0
            for form, program in forms_of(folder, module, exported, with_old_artifacts):
                wrong = difference(daemon.run(program, leaves), expected, tolerance)
                if wrong is None:
                    passed += 1
                    continue
                failures += 1
                print(f"{name} ({form}): {wrong}", flush=True)
            if number % 50 == 0:
                print(f"... {number} of {len(rows)} functions", flush=True)
        wrong = daemon.stop()
        if wrong is not None:
            failures += 1
            print(wrong)
    print(f"{passed} passed, {failures} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
