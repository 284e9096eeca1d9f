#!/usr/bin/env python3
"""Runs programs whose arguments JAX donates, as text and as artifact: the results are JAX's.

    tests/jax/run_donation.py BIN

BIN, requirements and exit codes are those of run_functions.py.
"""

from harness import Daemon, difference, TOLERANCE  # first: it finds JAX

import pathlib
import sys
import tempfile

import jax
import numpy as np
from jax import export

A, B = np.arange(6, dtype=np.float32).reshape(2, 3), np.ones((2, 3), np.float32)

# A name, a function, and which of its arguments are donated.
ROWS = [
    ("none", lambda x, y: x + y, ()),
    ("first", lambda x, y: x + y, (0,)),
    ("second", lambda x, y: x * y, (1,)),
    ("both", lambda x, y: (x - y, x / y), (0, 1)),
    ("fewer_results_than_donated", lambda x, y: x - y, (0, 1)),
]


def run_row(daemon, folder, function, donated):
    exported = export.export(jax.jit(function, donate_argnums=donated, keep_unused=True))(A, B)
    expected = [np.asarray(leaf) for leaf in jax.tree.leaves(function(A, B))]
    artifact, text = folder / "program.mlirbc", folder / "program.mlir"
    artifact.write_bytes(exported.mlir_module_serialized)
    text.write_text(exported.mlir_module())
    for form in artifact, text:
        wrong = difference(daemon.run(form, [A, B]), expected, TOLERANCE)
        if wrong is not None:
            yield f"{form.suffix}: {wrong}"


def main():
    failed = 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        daemon = Daemon(pathlib.Path(sys.argv[1]), folder)
        for name, *row in ROWS:
            problems = list(run_row(daemon, folder, *row))
            failed += bool(problems)
            for problem in problems:
                print(f"{name} ({problem})", flush=True)
        wrong = daemon.stop()
        if wrong is not None:
            failed += 1
            print(wrong)
    print(f"{len(ROWS) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
