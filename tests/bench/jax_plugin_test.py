#!/usr/bin/env python3
"""jax_plugin.py and mesh_collectives.py measure, count, print, verify and complain as their --help says, on a few small
parts.

    tests/bench/jax_plugin_test.py BIN

BIN is the folder with acceld. Exits with 77 where JAX is not there.
"""

import os
import pathlib
import subprocess
import sys
import unittest

if (_python := os.environ.pop("ACCELD_JAX_PYTHON", None)) and os.path.exists(_python):
    os.execv(_python, [_python, *sys.argv])
try:
    import flax  # noqa: F401
    import jax  # noqa: F401
    import optax  # noqa: F401
except ImportError as missing:
    print(f"skipped: {missing} (tests/jax/requirements.txt)")
    sys.exit(77)

BENCH = pathlib.Path(__file__).resolve().parent
BINARIES = sys.argv.pop(1)


def jax_plugin(*flags):
    return subprocess.run([sys.executable, BENCH / "jax_plugin.py", "--bin", BINARIES, "--stock-plugin", "/nowhere",
                           *flags], capture_output=True, text=True, timeout=500)


class JaxPlugin(unittest.TestCase):
    def test_measures_calls_workloads_and_startup(self):
        run = jax_plugin("--quick", "--markdown", "--only", "^(calls|tiny_call|embedding_lookup|mesh_psum|startup_gpt)$")
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.assertIn("xla-cpu-pjrt is left out: there is no /nowhere", run.stdout)
        for words in ("returns", "is ready", "has its value here"):
            self.assertRegex(run.stdout, rf"(?m)^\| {words} \| [\d.]+ us \| [\d.]+ .s \| [\d.]+ \|$")
        for name in ("tiny_call", "embedding_lookup", "mesh_psum"):
            self.assertRegex(run.stdout, rf"(?m)^\| {name} \| [\d.]+ .s \(.*\) \| [\d.]+ .s \(.*\) \| [\d.]+ \| ")
        self.assertIn("2 of 2 workloads have been verified", run.stdout)
        self.assertIn("1 of 1 workloads have been verified", run.stdout)  # on a mesh
        # The benchmark itself fails where a cold launch compiles nothing, or a warm one something.
        for caches in ("cold", "warm"):
            self.assertRegex(run.stdout, rf"(?m)^\| gpt, {caches} caches (\| [\d.]+ s \| [\d.]+ s \| [\d.]+ ){{2}}\|$")

    def test_counts_collectives_beside_xla_and_shardy(self):
        run = subprocess.run([sys.executable, BENCH / "mesh_collectives.py", "--bin", BINARIES, "--markdown", "--only",
                              "perceptron_step_data$"], capture_output=True, text=True, timeout=500)
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.assertIn("| perceptron_step_data | 1: 1 all reduce | 5: 5 all reduce | 1: 1 all reduce |", run.stdout)

    def test_says_what_it_cannot_do(self):
        for flags, said in ((("--only", "nothing_like_that"), "nothing's name matches 'nothing_like_that'"),
                            (("--only", "calls", "--bin", "/nowhere"), "no plugin at /lib/acceld_pjrt.so"),
                            (("--only", "calls", "--plugin", "/nowhere/x.so"), "no plugin at /nowhere/x.so"),
                            (("--cores", "100000"), "--cores 100000: this process may use")):
            run = jax_plugin(*flags)
            self.assertEqual(run.returncode, 2, run.stdout + run.stderr)
            self.assertIn(said, run.stderr)


if __name__ == "__main__":
    unittest.main()
