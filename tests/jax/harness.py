"""What the suites of this folder share: a Python that has JAX, a daemon of their own, and how results are compared.

Import it first: it starts the suite again with a Python that has JAX, and ends it with 77 (skipped) where there is none.
That Python is the one that ACCELD_JAX_PYTHON names, or else this one; with ACCELD_JAX=newest in the environment it is the
one that ACCELD_JAX_NEWEST_PYTHON names, which has the newest JAX.
"""

import json
import os
import subprocess
import sys
import time
from typing import NamedTuple

_is_newest = os.environ.pop("ACCELD_JAX", "") == "newest"
_python = os.environ.pop("ACCELD_JAX_NEWEST_PYTHON" if _is_newest else "ACCELD_JAX_PYTHON", None)
if _python and os.path.exists(_python):
    os.environ.pop("ACCELD_JAX_PYTHON", None)
    os.execv(_python, [_python, *sys.argv])
if _is_newest:
    print("skipped: no Python with the newest JAX (ACCELD_JAX_NEWEST_PYTHON, tests/jax/requirements-newest.txt)")
    sys.exit(77)
os.environ.setdefault("JAX_PLATFORMS", "cpu")
try:
    import flax  # noqa: F401
    import jax  # noqa: F401
    import numpy as np
    import optax  # noqa: F401
except ImportError as missing:
    print(f"skipped: {missing} (tests/jax/requirements.txt)")
    sys.exit(77)

TOLERANCE = dict(rtol=2e-5, atol=2e-5)


def rows_for_this_jax(rows, step):
    """All of them for the newest JAX, and where that is not there; else one of `step`, as the newest has the rest."""
    newest_runs_too = not _is_newest and os.path.exists(os.environ.get("ACCELD_JAX_NEWEST_PYTHON", ""))
    return rows[step - 1::step] if newest_runs_too else rows


class Answer(NamedTuple):
    error: str | None  # what accelctl said, if it failed; the others are empty then
    results: list
    verdict: str  # of the cache: miss, memory, ...


class Daemon:
    def __init__(self, binaries, folder, *flags):
        self.accelctl = [str(binaries / "accelctl"), "--address", f"unix:{folder}/acceld.sock"]
        self.folder = folder
        with open(folder / "log", "wb") as log:
            self.process = subprocess.Popen(
                # A suite that is killed takes its daemon with it.
                ["setpriv", "--pdeathsig", "KILL", binaries / "acceld", "--listen", f"unix:{folder}/acceld.sock",
                 "--cache-dir", folder / "cache", *flags],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=log)
        for _ in range(200):
            if subprocess.run(self.accelctl + ["devices"], capture_output=True).returncode == 0:
                return
            time.sleep(0.05)
        raise SystemExit("the daemon does not answer: " + self.log())

    def log(self):
        return (self.folder / "log").read_text()[-2000:]

    def run(self, program, arguments):
        """Runs the program in this file."""
        command = self.accelctl + ["run", str(program), "--json", "--out", str(self.folder)]
        for i, argument in enumerate(arguments):
            np.save(self.folder / f"arg{i}.npy", argument)
            command += ["--arg", str(self.folder / f"arg{i}.npy")]
        run = subprocess.run(command, capture_output=True, text=True, timeout=300)
        if run.returncode != 0:
            return Answer(run.stderr.strip()[:1000], [], "")
        report = json.loads(run.stdout)
        return Answer(None, [np.load(output["file"]) for output in report["outputs"]], report["cache_verdict"])

    def stats(self):
        return json.loads(subprocess.run(self.accelctl + ["stats", "--json"], capture_output=True, check=True).stdout)

    def stop(self):
        """None if it ended well, else what was wrong."""
        self.process.terminate()
        if self.process.wait(timeout=60) == 0:
            return None
        return "the daemon did not end well: " + self.log()


def difference(answer, expected, tolerance):
    """None if the results are what is expected, else where they are not."""
    if answer.error is not None:
        return answer.error
    if len(answer.results) != len(expected):
        return f"{len(answer.results)} results, not {len(expected)}"
    for i, (result, want) in enumerate(zip(answer.results, expected)):
        if result.shape != want.shape or result.dtype != want.dtype:
            return f"result {i} is {result.dtype}{result.shape}, not {want.dtype}{want.shape}"
        exact = want.dtype.kind in "biu"
        if not np.allclose(result, want, equal_nan=True, **(dict(rtol=0, atol=0) if exact else tolerance)):
            worst = np.nanmax(np.abs(result.astype(np.complex128) - want.astype(np.complex128)))
            return f"result {i} differs by up to {worst:.3g}"
    return None


def split_tolerance(arguments):
    """The arguments of a row without the tolerance at its end, and that tolerance."""
    if arguments and arguments[-1].__class__ is dict and set(arguments[-1]) == {"rtol", "atol"}:
        return arguments[:-1], arguments[-1]
    return arguments, TOLERANCE
