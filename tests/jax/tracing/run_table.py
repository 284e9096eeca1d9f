#!/usr/bin/env python3
"""Compares functions that C++ traces and transforms with the same functions of JAX.

    tests/jax/tracing/run_table.py BIN TABLE [NAME...] [--random FIRST:COUNT] [--beside-newest STEP]

BIN is the folder with acceld, TABLE the program tracing_table; with names, only the rows whose names hold one of them.
Afterwards come COUNT random compositions of rows, by default 40. With --beside-newest the older JAX runs one row of
STEP, if the newest is there to run all of them.
Each row is run in seven ways, where JAX has them: its value, forward mode, reverse mode, a batch, reverse mode of the
batch, the batch of reverse mode, and forward mode of reverse mode. Arguments are double precision. Prints a line for
each failure and `N passed, N failed`; exits with 1 if any failed, with 77 if JAX is not there.
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from harness import Answer, Daemon, difference, rows_for_this_jax  # first: it finds JAX

import argparse
import subprocess
import tempfile
import zlib

import jax
import numpy as np

jax.config.update("jax_enable_x64", True)
from table import ROWS, random_composition  # noqa: E402

TIGHT = dict(rtol=1e-9, atol=1e-9)
# Differences grow with the derivatives that are multiplied.
OF_COMPOSITIONS = dict(rtol=1e-6, atol=1e-6)
BATCH = 3


def has_tangents(array):
    return np.dtype(array.dtype).kind in "fc"


def leaves(tree):
    return [np.asarray(leaf) for leaf in jax.tree.leaves(tree)]


class Row:
    """A function of JAX, its arguments, and how it is transformed. Only arguments and results with tangents have them."""

    def __init__(self, name, function, *makers):
        rng = np.random.default_rng(zlib.crc32(name.encode()))
        self.function = lambda *x: jax.tree.leaves(function(*x))
        self.x = [np.asarray(make(rng)) for make in makers]
        self.bx = [np.stack([np.asarray(make(rng)) for _ in range(BATCH)]) for make in makers]
        self.active = [i for i, x in enumerate(self.x) if has_tangents(x)]
        shapes = jax.eval_shape(self.function, *self.x)
        self.results = [i for i, shape in enumerate(shapes) if has_tangents(shape)]

        def draw(shape, dtype):
            number = rng.normal(size=shape)
            return (number + 1j * rng.normal(size=shape) if np.dtype(dtype).kind == "c" else number).astype(dtype)
        self.dx = [draw(self.x[i].shape, self.x[i].dtype) for i in self.active]
        self.ct = [draw(shapes[i].shape, shapes[i].dtype) for i in self.results]
        self.bct = [draw((BATCH, *shapes[i].shape), shapes[i].dtype) for i in self.results]

    def of_active(self, x, function):
        """The results with tangents, as a function of the arguments with tangents; and these."""
        def f(*active):
            every = list(x)
            for i, value in zip(self.active, active):
                every[i] = value
            results = function(*every)
            return [results[i] for i in self.results]
        return f, [x[i] for i in self.active]

    def jvp(self, x, dx):
        f, active = self.of_active(x, self.function)
        return jax.jvp(f, active, dx)[1]

    def vjp(self, x, ct, function=None):
        f, active = self.of_active(x, function or self.function)
        return jax.vjp(f, *active)[1](ct)

    def second(self, x, dx, ct):
        f, active = self.of_active(x, self.function)
        return jax.jvp(lambda *a: jax.vjp(f, *a)[1](ct), active, dx)[1]

    def transformations(self):
        """Functions by name, and their arguments."""
        batched = jax.vmap(self.function)
        of_values = {"value": (lambda x: self.function(*x), self.x), "vmap": (lambda x: batched(*x), self.bx)}
        if not self.active or not self.results:
            return of_values
        return of_values | {
            "jvp": (self.jvp, self.x, self.dx),
            "vjp": (self.vjp, self.x, self.ct),
            "vjp_of_vmap": (lambda x, ct: self.vjp(x, ct, batched), self.bx, self.bct),
            "vmap_of_vjp": (jax.vmap(self.vjp), self.bx, self.bct),
            "second": (self.second, self.x, self.dx, self.ct),
        }

    def save(self, folder):
        for kind in ("x", "dx", "ct", "bx", "bct"):
            for i, array in enumerate(getattr(self, kind)):
                np.save(folder / f"{kind}{i}.npy", array)


def parse_arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("binaries", type=pathlib.Path)
    parser.add_argument("table", type=pathlib.Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--random", default="1:40", metavar="FIRST:COUNT")
    parser.add_argument("--beside-newest", type=int, default=1, metavar="STEP")
    return parser.parse_intermixed_args()


def has(function, *arguments):
    """Whether JAX can transform the function so."""
    try:
        jax.eval_shape(function, *arguments)
        return True
    except NotImplementedError:
        return False
    except (ValueError, TypeError) as error:
        if "Reverse-mode differentiation does not work" in str(error) or "custom_vjp" in str(error):
            return False
        raise


def expected_of(row):
    """What JAX gives for each transformation that it has. All of them are compiled together, which is much faster."""
    known = {name: call for name, call in row.transformations().items() if has(*call)}

    def compute():
        arguments = {name: call[1:] for name, call in known.items()}
        return jax.jit(lambda every: {name: known[name][0](*every[name]) for name in known})(arguments)
    try:
        results = compute()
    except TypeError as error:  # which JAX notices late
        if "forward-mode" not in str(error) or "custom_vjp" not in str(error):
            raise
        known = {name: call for name, call in known.items() if name not in ("jvp", "second")}
        results = compute()
    return {name: leaves(result) for name, result in results.items()}


def answer_of(folder, name):
    error = folder / f"{name}.error"
    if error.exists():
        return Answer(error.read_text(), [], "")
    results = []
    while (folder / f"{name}.{len(results)}.npy").exists():
        results.append(np.load(folder / f"{name}.{len(results)}.npy"))
    return Answer(None, results, "")


def main():
    options = parse_arguments()
    print(f"JAX {jax.__version__} on Python {sys.version.split()[0]}", flush=True)
    rows = [row for row in ROWS if not options.names or any(name in row[0] for name in options.names)]
    passed = failures = 0
    with tempfile.TemporaryDirectory() as temporary:
        root = pathlib.Path(temporary)
        (root / "rows").mkdir()
        (root / "daemon").mkdir()
        expected = {}
        first, count = map(int, options.random.split(":"))
        compositions = [random_composition(seed) for seed in range(first, first + count)]
        chosen = rows_for_this_jax([(row, None) for row in rows] + compositions, options.beside_newest)
        for (name, function, *arguments), program in chosen:
            tolerance = TIGHT if program is None else OF_COMPOSITIONS
            if isinstance(arguments[-1], dict):
                *arguments, tolerance = arguments
            folder = root / "rows" / name
            folder.mkdir()
            row = Row(name, function, *arguments)
            row.save(folder)
            if program is not None:
                (folder / "program").write_text(program)
            expected[name] = expected_of(row), tolerance
            (folder / "transformations").write_text(" ".join(expected[name][0]))
        daemon = Daemon(options.binaries, root / "daemon")
        subprocess.run([options.table, f"unix:{root}/daemon/acceld.sock", root / "rows"], check=True)
        for name, (results, tolerance) in expected.items():
            for transformation, want in results.items():
                wrong = difference(answer_of(root / "rows" / name, transformation), want, tolerance)
                passed += wrong is None
                if wrong is not None:
                    failures += 1
                    print(f"FAILED {name} {transformation}: {wrong}", flush=True)
        wrong = daemon.stop()
        if wrong is not None:
            failures += 1
            print(wrong)
        if not options.names:
            missing = set((root / "rows" / "rows").read_text().split()) - {row[0] for row in ROWS}
            for name in sorted(missing):
                failures += 1
                print(f"FAILED: table.py lacks the row {name}")
    print(f"{passed} passed, {failures} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
