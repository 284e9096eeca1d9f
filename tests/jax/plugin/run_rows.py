#!/usr/bin/env python3
"""Runs rows of the tables of functions on acceld as JAX programs have them, and compares with JAX's own CPU platform:
op by op, jitted, differentiated, and vectorized.

    run_rows.py BIN PLUGIN [NAME ...] [--one-of N]     BIN has acceld and accelctl, PLUGIN is the shared object

With names, only the rows whose names hold one of them. With --one-of N one row of N runs, in one of the four forms.
What JAX itself cannot differentiate or vectorize is left out. Prints a line for each failure and what was left out, and
exits with 1 if anything failed.
"""

import argparse
import sys
import warnings

import inside

inside.enter("acceld,cpu", seconds=None)

import functions  # noqa: E402
import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import library_functions  # noqa: E402
import numpy as np  # noqa: E402
from harness import Answer, difference, split_tolerance  # noqa: E402

CPU = jax.devices("cpu")[0]
# Rounding errors that a gradient magnifies.
LOOSER = 10
# What is rightly different on the two platforms, by the names of functions and forms.
DIFFERENT = {
    "lax.platform_dependent": {"op by op", "jit", "grad", "vmap"},  # It asks for the name of the platform.
    "jnp.argmax of NaN": {"grad"},  # 0 * inf, which is NaN op by op, and 0 where XLA's CPU compiles it.
}


def is_float(leaf):
    return jnp.issubdtype(jnp.result_type(leaf), jnp.inexact)


def sum_of(results):
    return sum(jnp.sum(jnp.real(leaf)) for leaf in jax.tree.leaves(results) if is_float(leaf))


def gradient(function, arguments):
    """Of the sum of what the function gives, by the leaves that have one."""
    leaves, tree = jax.tree.flatten(arguments)
    chosen = [i for i, leaf in enumerate(leaves) if is_float(leaf) and not jnp.iscomplexobj(leaf)]
    if not chosen:
        raise TypeError("no argument has a gradient")

    def loss(values):
        replaced = list(leaves)
        for i, value in zip(chosen, values):
            replaced[i] = value
        return sum_of(function(*jax.tree.unflatten(tree, replaced)))

    return jax.jit(jax.grad(loss))([leaves[i] for i in chosen])


def batch(function, arguments):
    """Of two elements, the second of which is the first in another order."""
    flipped = [jax.tree.map(lambda leaf: np.stack([leaf, np.flip(leaf)]), argument) for argument in arguments]
    return jax.jit(jax.vmap(function))(*flipped)


FORMS = {
    "op by op": lambda function, arguments: function(*arguments),
    "jit": lambda function, arguments: jax.jit(function)(*arguments),
    "grad": gradient,
    "vmap": batch,
}


def arrays(results):
    return [np.asarray(leaf) for leaf in jax.tree.leaves(results)]


def compare(form, function, arguments, tolerance):
    """What is wrong; or an exception of JAX's, if its CPU platform raises one."""
    with jax.default_device(CPU):
        try:
            expected = arrays(FORMS[form](function, arguments))
        except Exception as error:  # JAX raises what it likes.
            return error
    try:
        results = arrays(FORMS[form](function, arguments))
    except Exception as error:
        return f"{type(error).__name__}: {str(error)[:600]}"
    return difference(Answer(None, results, ""), expected, tolerance)


def main():
    parser = argparse.ArgumentParser("run_rows.py BIN PLUGIN")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--one-of", type=int, default=0, metavar="N")
    options = parser.parse_intermixed_args()
    rows = [*functions.FUNCTIONS, *library_functions.FUNCTIONS]
    rows = [row for row in rows if not options.names or any(name in row[0] for name in options.names)]
    if options.one_of:
        rows = rows[options.one_of - 1::options.one_of]
    # What a function makes of numbers that are not in its domain is not the matter here.
    warnings.simplefilter("ignore")
    passed = failed = left_out = 0
    print(f"JAX {jax.__version__} on Python {sys.version.split()[0]}", flush=True)
    for number, (name, function, *arguments) in enumerate(rows, 1):
        arguments, tolerance = split_tolerance(arguments)
        for form in [list(FORMS)[number % len(FORMS)]] if options.one_of else FORMS:
            if form in DIFFERENT.get(name, ()):
                continue
            looser = {key: value * (LOOSER if form == "grad" else 1) for key, value in tolerance.items()}
            wrong = compare(form, function, arguments, looser)
            passed += wrong is None
            left_out += isinstance(wrong, Exception)
            if isinstance(wrong, str):
                failed += 1
                print(f"{name} ({form}): {wrong}", flush=True)
        if number % 50 == 0:
            print(f"... {number} of {len(rows)} functions", flush=True)
    print(f"{passed} passed, {failed} failed, {left_out} left out as JAX raises an error")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
