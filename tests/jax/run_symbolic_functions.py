#!/usr/bin/env python3
"""Exports every row of symbolic_functions.py once and runs it at five shapes on a daemon of its own, against JAX.

    tests/jax/run_symbolic_functions.py BIN [NAME...]

BIN, names, requirements and exit codes are those of run_functions.py. Each shape is compiled once: the artifact misses
the cache five times, and the same program as text, run at the same shapes, finds everything in memory. Sizes that
break a constraint of the export are refused with JAX's own words, and the daemon lives on.
"""

from harness import Daemon, difference, split_tolerance  # first: it finds JAX

import pathlib
import sys
import tempfile

import jax
import numpy as np
from jax import export
from symbolic_functions import BROKEN_CONSTRAINTS, CONSTRAINTS, SIZES, SYMBOLIC_FUNCTIONS


def constraints_on(text):
    """Those whose symbols the shapes name: JAX refuses others."""
    return [c for c in CONSTRAINTS if all(symbol in text or symbol not in c for symbol in SIZES)]


def export_row(function, arguments):
    scope = export.SymbolicScope(constraints_on(" ".join(a.shape for a in arguments)))
    types = [jax.ShapeDtypeStruct(export.symbolic_shape(a.shape, scope=scope), a.dtype) for a in arguments]
    return export.export(jax.jit(function, keep_unused=True))(*types)


def write(exported, folder):
    """The program in both forms: the files' paths."""
    artifact, text = folder / "program.mlirbc", folder / "program.mlir"
    artifact.write_bytes(exported.mlir_module_serialized)
    text.write_text(exported.mlir_module())
    return artifact, text


def values(argument, run, rng):
    symbols = {symbol: sizes[run] for symbol, sizes in SIZES.items()}
    sizes = [eval(size, symbols) for size in argument.shape.split(",") if size]
    return np.asarray(argument.make(rng, sizes), argument.dtype)


def run_row(daemon, folder, function, arguments, tolerance):
    """What is wrong with one row, a line each."""
    artifact, text = write(export_row(function, arguments), folder)
    rng = np.random.default_rng(3)
    runs = [[values(a, run, rng) for a in arguments] for run in range(5)]
    jitted = jax.jit(function)
    expected = [[np.asarray(leaf) for leaf in jax.tree.leaves(jitted(*run))] for run in runs]
    compiles = daemon.stats()["compiles"]
    for form, verdict in (artifact, "miss"), (text, "memory"):
        for run, want in zip(runs, expected):
            answer = daemon.run(form, run)
            what = f"{form.suffix} at {', '.join(str(value.shape) for value in run)}"
            wrong = difference(answer, want, tolerance)
            if wrong is not None:
                yield f"{what}: {wrong}"
            elif answer.verdict != verdict:
                yield f"{what}: the cache says {answer.verdict}, not {verdict}"
    compiles = daemon.stats()["compiles"] - compiles
    if compiles != len(runs):
        yield f"{compiles} compiles for {len(runs)} shapes"


def run_broken(daemon, folder, function, arguments, shapes, expected):
    for form in write(export_row(function, arguments), folder):
        answer = daemon.run(form, [np.zeros(shape, a.dtype) for a, shape in zip(arguments, shapes)])
        if answer.error is None or expected not in answer.error:
            yield f"{form.suffix}: '{answer.error}' does not say '{expected}'"
    if daemon.process.poll() is not None:
        yield "the daemon is gone"


def main():
    binaries, names = pathlib.Path(sys.argv[1]), sys.argv[2:]
    failed = total = 0

    def report(name, problems):
        nonlocal failed, total
        total += 1
        try:
            problems = list(problems)
        except Exception as error:  # a function that JAX does not export so
            problems = [f"{type(error).__name__}: {error}"[:1000]]
        failed += bool(problems)
        for problem in problems:
            print(f"{name} ({problem})", flush=True)

    def chosen(rows):
        return [row for row in rows if not names or any(name in row[0] for name in names)]

    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        daemon = Daemon(binaries, folder)
        for name, *row in chosen(BROKEN_CONSTRAINTS):
            report(name, run_broken(daemon, folder, *row))
        for name, function, *arguments in chosen(SYMBOLIC_FUNCTIONS):
            report(name, run_row(daemon, folder, function, *split_tolerance(arguments)))
        wrong = daemon.stop()
        if wrong is not None:
            failed += 1
            print(wrong)
    print(f"{total - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
