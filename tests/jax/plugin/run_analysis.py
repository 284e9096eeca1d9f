#!/usr/bin/env python3
"""What JAX tells about programs on the platform: the memory of executables, their cost, and profiles.

    run_analysis.py BIN PLUGIN [TEST ...]       BIN has acceld and accelctl, PLUGIN is the shared object
"""

import glob
import gzip
import json
import tempfile
import unittest

import inside

inside.enter("acceld,cpu")

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
from jax import lax  # noqa: E402


def shape(*dims: int, dtype=jnp.float32) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(dims, dtype)


# Programs whose counts are those of JAX on its own cpu: flops and transcendentals exactly, and bytes about, as XLA
# counts reshapes that StableHLO does without.
LIKE_CPU = {
    "matmul": (lambda a, b: a @ b, (shape(64, 32), shape(32, 16))),
    "batched matmul": (lambda a, b: jnp.einsum("bij,bjk->bik", a, b), (shape(5, 64, 32), shape(5, 32, 16))),
    "conv, padded": (lambda x, w: lax.conv(x, w, (1, 1), "SAME"), (shape(2, 3, 16, 16), shape(8, 3, 3, 3))),
    "conv, strided": (lambda x, w: lax.conv(x, w, (2, 2), "SAME"), (shape(2, 3, 16, 16), shape(8, 3, 3, 3))),
    "conv, in groups": (lambda x, w: lax.conv_general_dilated(x, w, (1, 1), "SAME", feature_group_count=2),
                        (shape(2, 4, 16, 16), shape(8, 2, 3, 3))),
    "conv, dilated": (lambda x, w: lax.conv_general_dilated(x, w, (1, 1), ((1, 2), (2, 1)), (2, 3), (2, 1)),
                      (shape(2, 3, 16, 16), shape(8, 3, 3, 3))),
    "add": (lambda a, b: a + b, (shape(1000), shape(1000))),
    "exp": (jnp.exp, (shape(1000),)),
    "power": (lax.pow, (shape(1000), shape(1000))),
    "convert": (lambda a: a.astype(jnp.bfloat16), (shape(1000),)),
    "sum": (lambda a: a.sum(1), (shape(100, 10),)),
    "argmax": (lambda a: a.argmax(1), (shape(100, 10),)),
    "sort": (lambda a: jnp.sort(a, axis=1), (shape(10, 100),)),
    "argsort": (jnp.argsort, (shape(1000),)),
    "max pool": (lambda a: lax.reduce_window(a, -jnp.inf, lax.max, (3, 3), (2, 2), "VALID"), (shape(17, 17),)),
    "concatenate": (lambda a, b: jnp.concatenate([a, b]), (shape(100, 10), shape(50, 10))),
    "slice": (lambda a: a[10:20], (shape(100, 10),)),
    "fft": (jnp.fft.fft, (shape(1024, dtype=jnp.complex64),)),
    "softmax": (jax.nn.softmax, (shape(100, 10),)),
    "branches": (lambda p, a: lax.cond(p > 0, jnp.exp, lambda x: x * 2 + 1, a), (shape(dtype=jnp.int32), shape(1000))),
}
NAMES = ("flops", "transcendentals", "bytes accessed")


def counts(cost: dict) -> dict:
    """JAX leaves out what is zero."""
    return {name: cost.get(name, 0.0) for name in NAMES}


class CostTest(unittest.TestCase):
    def test_is_that_of_the_cpu(self):
        for name, (function, arguments) in LIKE_CPU.items():
            with self.subTest(name):
                ours = jax.jit(function).lower(*arguments)
                with jax.default_device(jax.devices("cpu")[0]):
                    theirs = jax.jit(lambda *args: function(*args)).lower(*arguments).cost_analysis()
                counted, expected = counts(ours.compile().cost_analysis()), counts(theirs)
                self.assertLess(abs(counted.pop("bytes accessed") / expected.pop("bytes accessed") - 1), 0.06)
                self.assertEqual(counted, expected)
                self.assertEqual(ours.cost_analysis(), ours.compile().cost_analysis())

    def test_counts_the_turns_of_loops(self):
        def once(x):
            return jnp.sin(x) * 2

        def often(x):
            return lax.scan(lambda carry, _: (once(carry), None), x, length=100)[0]

        one, many = (jax.jit(f).lower(shape(1000)).cost_analysis() for f in (once, often))
        self.assertEqual(many["transcendentals"], 100 * one["transcendentals"])
        self.assertGreaterEqual(many["flops"], 100 * one["flops"])


class MemoryTest(unittest.TestCase):
    def test_tells_arguments_results_temporaries_and_code(self):
        compiled = jax.jit(lambda a, b: jnp.sin(a @ b).sum(0)).lower(shape(512, 256), shape(256, 128)).compile()
        memory = compiled.memory_analysis()
        self.assertEqual(memory.argument_size_in_bytes, 4 * (512 * 256 + 256 * 128))
        self.assertEqual(memory.output_size_in_bytes, 4 * 128)
        self.assertEqual(memory.alias_size_in_bytes, 0)
        self.assertGreaterEqual(memory.temp_size_in_bytes, 4 * 512 * 128)
        self.assertGreater(memory.generated_code_size_in_bytes, 0)
        self.assertEqual(memory.host_argument_size_in_bytes, 0)

    def test_tells_what_is_written_over_donated_arguments(self):
        donating = jax.jit(lambda a, b: a + b, donate_argnums=0).lower(shape(1000), shape(1000)).compile()
        self.assertEqual(donating.memory_analysis().alias_size_in_bytes, 4000)

    def test_checkpoints_trade_memory_for_time(self):
        def block(y):
            for _ in range(8):
                y = jnp.sin(jnp.cumsum(y, 0)) * y
            return y

        def temporaries(f):
            def loss(y):
                for _ in range(8):
                    y = f(y)
                return jnp.sum(y)
            compiled = jax.jit(jax.grad(loss)).lower(shape(256, 1024)).compile()
            return compiled.memory_analysis().temp_size_in_bytes

        self.assertLess(2 * temporaries(jax.checkpoint(block)), temporaries(block))

    def test_has_the_program_compiled_when_it_was_not(self):
        lowered = jax.jit(lambda a: jnp.cos(a) * 12345).lower(shape(77))
        later = lowered.compile(compiler_options={"acceld_compile": "later"})
        self.assertGreater(later.memory_analysis().generated_code_size_in_bytes, 0)

    def test_the_size_of_code_is_there_once_it_is_known(self):
        compiled = jax.jit(lambda a: jnp.tan(a) * 54321).lower(shape(78)).compile(
            compiler_options={"acceld_compile": "later"})
        executable = compiled.runtime_executable()
        if not hasattr(executable, "size_of_generated_code_in_bytes"):
            self.skipTest("this version of JAX does not ask")
        self.assertEqual(executable.size_of_generated_code_in_bytes(), 0)
        known = compiled.memory_analysis().generated_code_size_in_bytes
        self.assertEqual(executable.size_of_generated_code_in_bytes(), known)


class ProfileTest(unittest.TestCase):
    def test_shows_what_the_daemon_did(self):
        def a_step_to_see(x):
            return jnp.sin(x @ x)

        x = jax.device_put(jnp.ones((500, 500)))
        jax.jit(lambda x: x + 1)(x).block_until_ready()
        with tempfile.TemporaryDirectory() as folder:
            with jax.profiler.trace(folder):
                jax.device_get(jax.jit(a_step_to_see)(jax.device_put(jnp.ones((500, 500)) * 2)))
            (profile,) = glob.glob(f"{folder}/**/*.xplane.pb", recursive=True)
            (trace,) = glob.glob(f"{folder}/**/*.trace.json.gz", recursive=True)
            planes = {plane.name: {line.name: [(event.name, event.start_ns, event.duration_ns) for event in line.events]
                                   for line in plane.lines}
                      for plane in jax.profiler.ProfileData.from_file(profile).planes}
            with gzip.open(trace) as file:
                viewed = json.load(file)["traceEvents"]
        device = planes["/device:CUSTOM:acceld cpu:0"]
        runs = [event for event in device["run"] if event[0] == "jit_a_step_to_see"]
        self.assertEqual(len(runs), 1, device)
        self.assertIn("jit_a_step_to_see", [name for name, _, _ in device["queue"]])
        self.assertTrue(device["fetch"])
        compiles = [event[0] for line in planes["/device:CUSTOM:acceld compiler"].values() for event in line]
        self.assertIn("jit_a_step_to_see", compiles)
        # The call lies between the first and the last thing that this process did.
        host = [event for line in planes["/host:CPU"].values() for event in line]
        self.assertLess(min(start for _, start, _ in host), runs[0][1])
        self.assertGreater(max(start + duration for _, start, duration in host), runs[0][1] + runs[0][2])
        processes = {event["pid"]: event["args"]["name"] for event in viewed if event.get("name") == "process_name"}
        seen = {processes[event["pid"]] for event in viewed if event.get("name") == "jit_a_step_to_see"}
        self.assertIn("/device:CUSTOM:acceld cpu:0", seen)

    def test_has_nothing_of_what_was_before(self):
        jax.jit(lambda x: x - 7)(jnp.ones(3)).block_until_ready()
        with tempfile.TemporaryDirectory() as folder:
            with jax.profiler.trace(folder):
                pass
            (profile,) = glob.glob(f"{folder}/**/*.xplane.pb", recursive=True)
            names = [plane.name for plane in jax.profiler.ProfileData.from_file(profile).planes]
        self.assertFalse([name for name in names if "acceld" in name])


if __name__ == "__main__":
    unittest.main()
