#!/usr/bin/env python3
"""Measures how far acceld's results are from the truth, beside JAX's on the CPU: one line for each row of rows/.

    tests/accuracy/accuracy.py build/release/bin                     # all rows and models
    tests/accuracy/accuracy.py build/release/bin --only 'sum|norm'
    tests/accuracy/accuracy.py build/release/bin --without-models --every 3 --json accuracy.json

The truth is what JAX computes in float64 (of longer numbers for rows in float64). Each row runs on a daemon that this
command starts. Columns: the root mean square of the errors of acceld and of JAX, in units in the last place (ulp) of
the results (for several results, geometric means); acceld's over JAX's; the largest such ratio of one of several
results; the largest error of one element in its own ulp, of both. For rows that state a bound, the first two are means
over each element's error in its own ulp.

A row fails
- if it states a bound in ulp and an element of a result is further from the truth than that, or
- if it states none and acceld's root mean square error is above 1.25 times JAX's (--most-ratio) and above half an ulp.

Exits with 0 if no row fails, with 1 otherwise, with 77 if JAX is not there. JAX is looked for in this Python, or in the
one that ACCELD_JAX_PYTHON names, or with ACCELD_JAX=newest ACCELD_JAX_NEWEST_PYTHON.
"""

import argparse
import json
import math
import pathlib
import re
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "jax")]

from harness import Daemon, rows_for_this_jax  # noqa: E402  first: it finds JAX

import jax  # noqa: E402
import numpy as np  # noqa: E402
from errors import distance  # noqa: E402
from rows import ROWS  # noqa: E402

HALF_ULP = 0.5


def float64():
    return jax.enable_x64(True) if hasattr(jax, "enable_x64") else jax.experimental.enable_x64()


def converted(tree, dtype):
    """With arrays of float32 and complex64 in another type."""
    def convert(x):
        if x.dtype.kind == "c":
            return x.astype("complex128" if dtype == "float64" else "complex64")
        return x.astype(dtype) if x.dtype.kind == "f" else x
    return jax.tree.map(lambda x: convert(np.asarray(x)), tree)


def widened(function):
    """Gives what is narrower than float32 as float32, which changes no value, and takes it so."""
    def widen(x):
        return x.astype("float32") if x.dtype in ("bfloat16", "float16") else x
    return lambda *arguments: jax.tree.map(widen, function(*arguments))


def in_type(row):
    """The row's function of its arguments as they are written, computed in its type."""
    if row.dtype not in ("bfloat16", "float16"):
        return row.function

    def narrow(x):
        return x.astype(row.dtype) if x.dtype == np.float32 else x
    return widened(lambda *arguments: row.function(*jax.tree.map(narrow, arguments)))


def leaves(tree):
    return [np.asarray(leaf) for leaf in jax.tree.leaves(tree)]


class Result:
    """What one row came to."""

    def __init__(self, row, ours, theirs, truth, most_ratio):
        self.row, self.most_ratio = row, most_ratio
        self.ours = [distance(a, t, row.dtype) for a, t in zip(ours, truth, strict=True)]
        self.theirs = [distance(a, t, row.dtype) for a, t in zip(theirs, truth, strict=True)]
        own = [self._error(d) for d in self.ours]
        jax_own = [self._error(d) for d in self.theirs]
        self.own_ulp, self.jax_ulp = mean(own), mean(jax_own)
        # What is below half an ulp is as good as any.
        ratios = [max(a, HALF_ULP) / max(b, HALF_ULP) for a, b in zip(own, jax_own)]
        self.ratio, self.worst_ratio = mean(ratios), max(ratios)
        self.most = max(d.most for d in self.ours)
        self.jax_most = max(d.most for d in self.theirs)
        self.where = max(self.ours, key=lambda d: d.most).where

    def _error(self, d):
        return d.rms if self.row.most_ulp is None else d.own_rms

    @property
    def failure(self):
        bound = self.row.most_ulp
        if bound is not None:
            return f"{self.most:.3g} ulp at {self.where}, above {bound:g}" if self.most > bound else None
        if not self.ratio <= self.most_ratio:
            return f"{self.ratio:.3g} times JAX's error, above {self.most_ratio:g}"
        return None

    def to_json(self):
        return {"name": self.row.name, "ulp": self.own_ulp, "jax_ulp": self.jax_ulp, "ratio": self.ratio,
                "worst_ratio": self.worst_ratio, "most_ulp": self.most, "jax_most_ulp": self.jax_most,
                "bound_ulp": self.row.most_ulp, "failure": self.failure}


def mean(values):
    """The geometric one; 0 where there is a 0."""
    values = list(values)
    return math.exp(sum(map(math.log, values)) / len(values)) if all(v > 0 for v in values) else 0.0


def measure(daemon, folder, row, most_ratio):
    np.seterr(over="ignore", invalid="ignore")
    narrow = row.dtype in ("bfloat16", "float16")
    arguments = converted(row.arguments, "float32" if narrow else row.dtype)
    function = in_type(row)
    if narrow:  # what the type cannot hold is no argument of it
        arguments = jax.tree.map(
            lambda x: x.astype(row.dtype).astype("float32") if x.dtype == np.float32 else x, arguments)
    with float64() if row.dtype == "float64" else _nothing():
        jitted = jax.jit(function, keep_unused=True)
        theirs = leaves(jitted(*arguments))
        program = folder / "program.mlir"
        program.write_text(jitted.lower(*arguments).as_text())
    answer = daemon.run(program, leaves(arguments))
    if answer.error is not None:
        raise RuntimeError(answer.error)
    with float64():
        truth = row.truth or jax.jit(row.function)
        true = leaves(truth(*converted(arguments, "float64")))
    return Result(row, answer.results, theirs, true, most_ratio)


class _nothing:
    def __enter__(self):
        pass

    def __exit__(self, *_):
        pass


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin", type=pathlib.Path, help="the folder with acceld and accelctl")
    parser.add_argument("--only", default="", metavar="REGEX", help="rows whose names have a match")
    parser.add_argument("--without-models", action="store_true", help="leave out whole models, which take minutes")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="of these rows one of N")
    parser.add_argument("--beside-newest", type=int, default=1, metavar="N",
                        help="of those one of N with the older JAX, if the newest is there to run all")
    parser.add_argument("--most-ratio", type=float, default=1.25, metavar="R",
                        help="of acceld's root mean square error to JAX's (1.25)")
    parser.add_argument("--list", action="store_true", help="print the names and end")
    parser.add_argument("--markdown", action="store_true", help="print the table as Markdown")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="also write all figures there")
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    rows = [row for row in ROWS
            if re.search(arguments.only, row.name) and not (arguments.without_models and row.is_model)]
    rows = rows_for_this_jax(rows[::arguments.every], arguments.beside_newest)
    if arguments.list:
        print("\n".join(row.name for row in rows))
        return 0
    line = "| {} | {} | {} | {} | {} | {} | {} |" if arguments.markdown else "{:<48} {:>9} {:>9} {:>7} {:>7} {:>9} {:>9}"
    print(line.format("row", "rms ulp", "JAX's", "ratio", "worst", "most ulp", "JAX's"))
    if arguments.markdown:
        print("|---|---|---|---|---|---|---|")
    results, failures, start = [], [], time.monotonic()
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        daemon = Daemon(arguments.bin, folder)
        for row in rows:
            try:
                result = measure(daemon, folder, row, arguments.most_ratio)
            except Exception as error:  # noqa: BLE001  a row that does not run is a row that fails
                failures.append(f"{row.name}: {type(error).__name__}: {error}"[:500])
                print(f"{row.name}: FAILED: {error}"[:300], flush=True)
                continue
            results.append(result)
            print(line.format(row.name, f"{result.own_ulp:.3g}", f"{result.jax_ulp:.3g}", f"{result.ratio:.2f}",
                              f"{result.worst_ratio:.2f}", f"{result.most:.3g}", f"{result.jax_most:.3g}") +
                  ("" if result.failure is None else "  FAILED"), flush=True)
            if result.failure is not None:
                failures.append(f"{row.name}: {result.failure}")
        wrong = daemon.stop()
        if wrong is not None:
            failures.append(wrong)
    if arguments.json:
        arguments.json.write_text(json.dumps(
            {"jax": jax.__version__, "rows": [result.to_json() for result in results]}, indent=1))
    print()
    for failure in failures:
        print(failure)
    print(f"{len(rows)} rows, {len(failures)} failures, JAX {jax.__version__}, {time.monotonic() - start:.0f} s")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
