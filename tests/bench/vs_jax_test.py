#!/usr/bin/env python3
"""vs_jax.py measures, prints, verifies and complains as its --help says, on a few small workloads.

    tests/bench/vs_jax_test.py BIN

BIN is the folder with acceld. Exits with 77 where JAX is not there.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

if (_python := os.environ.pop("ACCELD_JAX_PYTHON", None)) and os.path.exists(_python):
    os.execv(_python, [_python, *sys.argv])
try:
    import jax  # noqa: F401
except ImportError as missing:
    print(f"skipped: {missing} (tests/jax/requirements.txt)")
    sys.exit(77)

from against_jax.program import read_programs, write_programs

BENCH = pathlib.Path(__file__).resolve().parent
BINARIES = sys.argv.pop(1)


def vs_jax(*flags, **environment):
    return subprocess.run([sys.executable, BENCH / "vs_jax.py", "--bin", BINARIES, *flags], capture_output=True,
                          text=True, timeout=300, env={**os.environ, **environment})


class VsJax(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def test_measures_both_sides_and_verifies(self):
        run = vs_jax("--only", "^(x_xt_256|embedding_lookup|mlp_adam_step_batch_32|tiny_calls_1000|matmul_8192_bf16)$",
                     "--quick", "--repeats", "3", "--compile-times", "--markdown", "--json", str(self.folder / "json"))
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.assertRegex(run.stdout, r"(?m)^\| x_xt_256 \| [\d.]+ .?s \(.*\) \| [\d.]+ .?s \(.*\) \| [\d.]+ \| .* %")
        self.assertIn("4 of 5 workloads have been verified, 0 failed, 1 skipped", run.stdout)
        results = json.loads((self.folder / "json").read_text())
        self.assertGreater(results["geometric_mean_ratio"], 0)
        for workload in results["workloads"]:
            if workload["skipped"]:
                self.assertEqual(workload["name"], "matmul_8192_bf16")
                continue
            self.assertLessEqual(workload["error"], workload["tolerance"])
            for name in ("ratio", "floor_s", "floor_share", "jax_compile_ns", "acceld_compile_ns", "acceld_disk_ns",
                         "compile_ratio"):
                self.assertGreater(workload[name], 0, f"{workload['name']}: {name}")
            for side in ("jax", "acceld"):
                self.assertEqual(len(workload[f"{side}_compiles"]), 2)
            for side in ("jax", "acceld", "acceld_device"):
                low, high = workload[side]["quartiles_ns"]
                self.assertLessEqual(low, workload[side]["median_ns"])
                self.assertLessEqual(workload[side]["median_ns"], high)
                self.assertEqual(workload[side]["repeats"], 3)

    def test_measures_first_results_of_new_processes_from_warm_caches(self):
        run = vs_jax("--only", "^(selu_1m|cumsum_1m)$", "--quick", "--repeats", "3", "--compile-times", "--json",
                     str(self.folder / "json"))
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        for where in ("memory", "disk"):
            self.assertRegex(run.stdout, rf"(?m)^from {where} acceld's first result is .* in \d of 2; geometric mean: ")
        for workload in json.loads((self.folder / "json").read_text())["workloads"]:
            first = workload["first"]
            medians = {name: times["median_ns"] for name, times in first.items()}
            self.assertEqual({name: times["repeats"] for name, times in first.items()}, dict.fromkeys(medians, 1))
            self.assertGreater(medians["acceld_memory"], 0)
            self.assertGreater(medians["acceld_disk"], 0)
            # Of the same call, without its tracing. jax_first.py fails where the program was not in the cache.
            self.assertLess(medians["jax_lowered"], medians["jax"])

    def test_measures_exported_programs_without_jax_and_finds_a_wrong_value(self):
        (self.folder / "jax.py").write_text("raise ImportError('hidden by a test')\n")
        exported = self.folder / "programs"
        flags = ("--programs", str(exported), "--quick", "--repeats", "3")
        run = vs_jax("--only", "^(cumsum_1m|sum_of_logistics_gradient_3)$", "--export", str(exported))
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        run = vs_jax(*flags, PYTHONPATH=str(self.folder))
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.assertIn("2 of 2 workloads have been verified, 0 failed", run.stdout)
        self.assertIn("JAX not there", run.stdout)

        cumsum, logistics = read_programs(exported)
        values = cumsum.expected[0].values.copy()
        values[100] *= 1.01
        cumsum.expected[0].values = values
        write_programs(exported, [cumsum, logistics], jax.__version__)
        run = vs_jax(*flags, PYTHONPATH=str(self.folder))
        self.assertEqual(run.returncode, 1, run.stdout + run.stderr)
        self.assertRegex(run.stdout, r"(?m)^FAILED cumsum_1m: WRONG VALUES: they differ by .*, not 0.0001 at most")
        self.assertIn("1 of 2 workloads have been verified, 1 failed", run.stdout)

    def test_says_what_it_cannot_do(self):
        for flags, said in ((("--only", "nothing_like_that"), "no workload's name matches 'nothing_like_that'"),
                            (("--device", "tpu:0"), "it is cpu:N or cuda:N"),
                            (("--only", "tiny_call$", "--bin", "/nowhere"), "no timing_client in /nowhere"),
                            (("--programs", str(self.folder)), "holds no programs of --export"),
                            (("--cores", "100000"), "--cores 100000: this process may use")):
            run = vs_jax(*flags)
            self.assertEqual(run.returncode, 2, run.stdout + run.stderr)
            self.assertIn(said, run.stderr)


if __name__ == "__main__":
    unittest.main()
