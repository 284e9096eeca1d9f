"""The Python whose JAX is measured. Imports nothing that comes with JAX."""

import importlib.util
import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
# Where tests/run.sh puts JAX, the newest first.
ENVIRONMENTS = ("build/jax-newest", "build/jax")


def use_newest_jax():
    """Runs this program again in the Python that ACCELD_JAX_PYTHON names, if it does; else, where this Python has no
    JAX, in the first of ENVIRONMENTS that is there. Returns if this Python is the one."""
    python = os.environ.pop("ACCELD_JAX_PYTHON", None)
    if python is None and importlib.util.find_spec("jax") is None:
        python = next((str(found) for folder in ENVIRONMENTS if (found := ROOT / folder / "bin/python").exists()
                       and not os.path.samefile(found.parents[1], sys.prefix)), None)
    if python and os.path.exists(python):
        os.execv(python, [python, *sys.argv])
