#!/usr/bin/env python3
"""Runs every row of a table on a daemon of its own, as text and as portable bytecode, and compares with JAX.

    tests/jax/run_functions.py functions|library_functions BIN [NAME...]

BIN is the folder with acceld and accelctl; with names, only the rows whose names hold one of them. Needs what
requirements.txt names, on the CPU. Prints a line for each failure and `N passed, N failed` at the end; exits with 1 if
any failed, with 77 if JAX is not there.
"""

from harness import Daemon, difference, split_tolerance  # first: it finds JAX

import importlib
import pathlib
import re
import sys
import tempfile

import jax
import jax.export
import numpy as np


def main():
    table, binaries, names = importlib.import_module(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3:]
    rows = [row for row in table.FUNCTIONS if not names or any(name in row[0] for name in names)]
    failures = 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        daemon = Daemon(binaries, folder)
        for number, (name, function, *arguments) in enumerate(rows, 1):
            arguments, tolerance = split_tolerance(arguments)
            jitted = jax.jit(function, keep_unused=True)
            expected = [np.asarray(leaf) for leaf in jax.tree.leaves(jitted(*arguments))]
            leaves = [np.asarray(leaf) for leaf in jax.tree.leaves(arguments)]
            text, bytecode = folder / "program.mlir", folder / "program.mlirbc"
            module = jitted.lower(*arguments).as_text()
            text.write_text(module)
            # JAX promises nothing for some of its calls in artifacts of other versions; these are of this one.
            calls = [jax.export.DisabledSafetyCheck.custom_call(target)
                     for target in set(re.findall(r"custom_call @(\w+)", module))]
            exported = jax.export.export(jitted, disabled_checks=calls)(*arguments)
            bytecode.write_bytes(exported.mlir_module_serialized)
            for form in text, bytecode:
                wrong = difference(daemon.run(form, leaves), expected, tolerance)
                if wrong is not None:
                    failures += 1
                    print(f"{name} ({'text' if form is text else 'bytecode'}): {wrong}", flush=True)
            if number % 50 == 0:
                print(f"... {number} of {len(rows)} functions", flush=True)
        wrong = daemon.stop()
        if wrong is not None:
            failures += 1
            print(wrong)
    print(f"{2 * len(rows) - failures} passed, {failures} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
