#!/usr/bin/env python3
"""Runs every row of functions.py on a daemon of its own, as text and as portable bytecode, and compares with JAX.

    tests/jax/run_functions.py BIN [NAME...]

BIN is the folder with acceld and accelctl; with names, only the rows whose names hold one of them. Needs what
requirements.txt names, on the CPU. Prints a line for each failure and `N passed, N failed` at the end; exits with 1 if any failed, with 77
if JAX is not there.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

python = os.environ.pop("ACCELD_JAX_PYTHON", None)  # where JAX is, if not here
if python and os.path.exists(python):
    os.execv(python, [python, *sys.argv])
os.environ.setdefault("JAX_PLATFORMS", "cpu")
try:
    import jax
    import jax.export
    import numpy as np
    from functions import FUNCTIONS
except ImportError as error:
    print(f"skipped: {error} (tests/jax/requirements.txt)")
    sys.exit(77)

TOLERANCE = dict(rtol=2e-5, atol=2e-5)


class Daemon:
    def __init__(self, binaries, folder):
        self.accelctl = [str(binaries / "accelctl"), "--address", f"unix:{folder}/acceld.sock"]
        self.log = open(folder / "log", "wb")
        self.process = subprocess.Popen(
            [binaries / "acceld", "--listen", f"unix:{folder}/acceld.sock", "--cache-dir", folder / "cache"],
            stderr=self.log)
        for _ in range(200):
            if subprocess.run(self.accelctl + ["devices"], capture_output=True).returncode == 0:
                return
            time.sleep(0.05)
        raise SystemExit("the daemon does not answer: " + (folder / "log").read_text())

    def run(self, program, arguments, folder):
        """The results of the program in this file, or what was wrong with it."""
        command = self.accelctl + ["run", str(program), "--json", "--out", str(folder)]
        for i, argument in enumerate(arguments):
            np.save(folder / f"arg{i}.npy", argument)
            command += ["--arg", str(folder / f"arg{i}.npy")]
        run = subprocess.run(command, capture_output=True, text=True, timeout=300)
        if run.returncode != 0:
            return run.stderr.strip()[:500]
        return [np.load(output["file"]) for output in json.loads(run.stdout)["outputs"]]

    def stop(self):
        self.process.terminate()
        return self.process.wait(timeout=60)


def difference(results, expected, tolerance):
    """None if they are the same, else where they are not."""
    if isinstance(results, str):
        return results
    if len(results) != len(expected):
        return f"{len(results)} results, not {len(expected)}"
    for i, (result, want) in enumerate(zip(results, expected)):
        if result.shape != want.shape or result.dtype != want.dtype:
            return f"result {i} is {result.dtype}{result.shape}, not {want.dtype}{want.shape}"
        exact = want.dtype.kind in "biu"
        if not np.allclose(result, want, equal_nan=True, **(dict(rtol=0, atol=0) if exact else tolerance)):
            worst = np.nanmax(np.abs(result.astype(np.complex128) - want.astype(np.complex128)))
            return f"result {i} differs by up to {worst:.3g}"
    return None


def main():
    binaries, names = pathlib.Path(sys.argv[1]), sys.argv[2:]
    rows = [row for row in FUNCTIONS if not names or any(name in row[0] for name in names)]
    failures = 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        daemon = Daemon(binaries, folder)
        for number, (name, function, *arguments) in enumerate(rows, 1):
            tolerance = arguments.pop() if arguments and arguments[-1].__class__ is dict and set(
                arguments[-1]) == {"rtol", "atol"} else TOLERANCE
            jitted = jax.jit(function, keep_unused=True)
            expected = [np.asarray(leaf) for leaf in jax.tree.leaves(jitted(*arguments))]
            leaves = [np.asarray(leaf) for leaf in jax.tree.leaves(arguments)]
            text, bytecode = folder / "program.mlir", folder / "program.mlirbc"
            text.write_text(jitted.lower(*arguments).as_text())
            bytecode.write_bytes(jax.export.export(jitted)(*arguments).mlir_module_serialized)
            for form in text, bytecode:
                wrong = difference(daemon.run(form, leaves, folder), expected, tolerance)
                if wrong is not None:
                    failures += 1
                    print(f"{name} ({'text' if form is text else 'bytecode'}): {wrong}", flush=True)
            if number % 50 == 0:
                print(f"... {number} of {len(rows)} functions", flush=True)
        if daemon.stop() != 0:
            failures += 1
            print("the daemon did not end well:", (folder / "log").read_text()[-2000:])
    print(f"{2 * len(rows) - failures} passed, {failures} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
