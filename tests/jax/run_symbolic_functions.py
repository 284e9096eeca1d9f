#!/usr/bin/env python3
"""Exports every row of symbolic_functions.py once and runs it at five shapes on a daemon of its own, against JAX.

    tests/jax/run_symbolic_functions.py BIN [NAME...] [--old-artifacts STEP] [--beside-newest STEP]

BIN, names, options, requirements and exit codes are those of run_functions.py. Each shape is compiled once: the
artifact misses the cache five times, and the same program as text, or as an artifact of an older version, run at the same
shapes, finds everything in memory. Sizes that break a constraint of the export are refused with JAX's own words, and the
daemon lives on.
"""

from harness import Daemon, difference, rows_for_this_jax, split_tolerance  # first: it finds JAX

import argparse
import pathlib
import sys
import tempfile

import jax
import numpy as np
from artifact_versions import at_versions
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


def forms_of(exported, folder, with_old_artifacts):
    """What to call a form of the program, its file, and where its code is found."""
    artifact, text = write(exported, folder)
    forms = [("bytecode", artifact, "miss"), ("text", text, "memory")]
    for version, older in at_versions(exported) if with_old_artifacts else []:
        file = folder / f"program-{version}.mlirbc"
        file.write_bytes(older)
        # What an older version lacks was written in other ops there: other programs, or the same one.
        forms.append((f"bytecode of {version}", file, None))
    return forms


def run_row(daemon, folder, function, arguments, tolerance, with_old_artifacts):
    """What is wrong with one row, a line each."""
    forms = forms_of(export_row(function, arguments), folder, with_old_artifacts)
    rng = np.random.default_rng(3)
    runs = [[values(a, run, rng) for a in arguments] for run in range(5)]
    jitted = jax.jit(function)
    expected = [[np.asarray(leaf) for leaf in jax.tree.leaves(jitted(*run))] for run in runs]
    compiles = daemon.stats()["compiles"]
    for form, file, verdict in forms:
        for run, want in zip(runs, expected):
            answer = daemon.run(file, run)
            what = f"{form} at {', '.join(str(value.shape) for value in run)}"
            wrong = difference(answer, want, tolerance)
            if wrong is not None:
                yield f"{what}: {wrong}"
            elif verdict not in (None, answer.verdict):
                yield f"{what}: the cache says {answer.verdict}, not {verdict}"
        if form == "text" and (count := daemon.stats()["compiles"] - compiles) != len(runs):
            yield f"{count} compiles for {len(runs)} shapes"


def run_broken(daemon, folder, function, arguments, shapes, expected):
    for form in write(export_row(function, arguments), folder):
        answer = daemon.run(form, [np.zeros(shape, a.dtype) for a, shape in zip(arguments, shapes)])
        if answer.error is None or expected not in answer.error:
            yield f"{form.suffix}: '{answer.error}' does not say '{expected}'"
    if daemon.process.poll() is not None:
        yield "the daemon is gone"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binaries", type=pathlib.Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--old-artifacts", type=int, default=0, metavar="STEP")
    parser.add_argument("--beside-newest", type=int, default=1, metavar="STEP")
    options = parser.parse_intermixed_args()
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
        named = [row for row in rows if not options.names or any(name in row[0] for name in options.names)]
        return rows_for_this_jax(named, options.beside_newest)

    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        daemon = Daemon(options.binaries, folder)
        for name, *row in chosen(BROKEN_CONSTRAINTS):
            report(name, run_broken(daemon, folder, *row))
        for number, (name, function, *arguments) in enumerate(chosen(SYMBOLIC_FUNCTIONS), 1):
            with_old_artifacts = options.old_artifacts > 0 and number % options.old_artifacts == 0
            report(name, run_row(daemon, folder, function, *split_tolerance(arguments), with_old_artifacts))
        wrong = daemon.stop()
        if wrong is not None:
            failed += 1
            print(wrong)
    print(f"{total - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
