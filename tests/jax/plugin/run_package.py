#!/usr/bin/env python3
"""What the package `acceld` has for JAX programs beside the platform: named arrays, timeouts, priorities, programs
ahead of their run.

    run_package.py BIN PLUGIN [TEST ...]       BIN has acceld and accelctl, PLUGIN is the shared object
"""

import os
import sys
import unittest

import inside

inside.enter()

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402

import acceld  # noqa: E402


def line() -> int:
    """The line of the caller."""
    return sys._getframe(1).f_lineno


class PackageTest(unittest.TestCase):
    def test_tells_which_daemon_it_is_connected_to(self):
        info = acceld.connect_info()
        self.assertEqual(info["address"], os.environ["ACCELD_ADDRESS"])
        self.assertEqual([device["id"] for device in info["devices"]], [device.id for device in jax.devices()])

    def test_counts_what_the_daemon_does(self):
        before = acceld.stats()["executions"]
        jax.jit(lambda x: x * 5)(jnp.ones(3)).block_until_ready()
        self.assertGreater(acceld.stats()["executions"], before)

    def test_explains_and_warms_without_running(self):
        program = jax.jit(lambda x: jnp.tanh(x) * 17 - x.sum())
        x = jax.ShapeDtypeStruct((31,), jnp.float32)
        explained = acceld.explain(program, x)
        self.assertEqual(explained["tier"], "")
        self.assertIn("program", [part["name"] for part in explained["components"]])
        compiles = acceld.stats()["compiles"]
        acceld.warm(program, x)
        self.assertEqual(acceld.stats()["compiles"], compiles + 1)
        self.assertEqual(acceld.explain(program, x)["tier"], "memory")
        program(jnp.arange(31.0)).block_until_ready()
        self.assertEqual(acceld.explain(program, x)["tier"], "memory")

    def test_opens_what_is_published(self):
        for dtype in ("float32", "bfloat16", "int4", "bool", "complex64"):
            values = jnp.array([[1, 0, 1], [0, 1, 1]]).astype(dtype)
            acceld.publish(f"weights/{dtype}", values)
            opened = acceld.open(f"weights/{dtype}")
            self.assertEqual((opened.shape, opened.dtype), (values.shape, values.dtype))
            np.testing.assert_array_equal(np.asarray(opened), np.asarray(values))
        with jax.enable_x64(True):
            acceld.publish("weights/float64", jnp.arange(3.0))
        self.assertEqual(acceld.open("weights/float64").dtype, np.float64)
        # Arrays that are made afterwards are their own.
        np.testing.assert_array_equal(jax.device_put(np.arange(3.0, dtype=np.float32)), [0, 1, 2])

    def test_names_are_taken_and_forgotten(self):
        acceld.publish("name", jnp.ones(2))
        with self.assertRaisesRegex(jax.errors.JaxRuntimeError, "name"):
            acceld.publish("name", jnp.zeros(2))
        acceld.publish("name", jnp.zeros(2), replace=True)
        np.testing.assert_array_equal(acceld.open("name"), [0, 0])
        acceld.drop("name")
        with self.assertRaisesRegex(jax.errors.JaxRuntimeError, "no array is named 'name'"):
            acceld.open("name")

    def test_ends_what_takes_too_long(self):
        program = jax.jit(lambda n: jax.lax.fori_loop(0, n, lambda i, a: jnp.sin(a) + 1, jnp.zeros(100_000)))
        with acceld.timeout(0.2):
            late = program(10_000_000)
        with self.assertRaisesRegex(jax.errors.JaxRuntimeError, "DEADLINE_EXCEEDED"):
            late.block_until_ready()
        program(3).block_until_ready()  # outside there is no limit
        with self.assertRaises(ValueError), acceld.timeout(-1):
            pass

    def test_says_when_to_compile(self):
        lowered = jax.jit(lambda x: x * 99).lower(jnp.ones(5))
        compiles = acceld.stats()["compiles"]
        compiled = lowered.compile(compiler_options={"acceld_compile": "later"})
        self.assertEqual(acceld.stats()["compiles"], compiles)
        np.testing.assert_array_equal(compiled(jnp.ones(5)), np.full(5, 99))
        with self.assertRaisesRegex(Exception, "No such compile option: 'acceld_speed'"):
            lowered.compile(compiler_options={"acceld_speed": "fast"})

    def test_compiled_programs_know_the_layouts_of_their_arrays(self):
        x = jnp.zeros((3, 4))
        compiled = jax.jit(lambda x, key, n: (x + n, key, n)).lower(x, jax.random.key(0), jnp.int32(1)).compile()
        for formats in (compiled.input_formats[0], compiled.output_formats):
            self.assertEqual([one.layout.major_to_minor for one in formats], [(0, 1), (0,), ()])
            self.assertEqual(formats[0], x.format)
        np.testing.assert_array_equal(compiled(x, jax.random.key(0), jnp.int32(1))[0], np.ones((3, 4)))

    def test_refuses_options_that_it_does_not_know(self):
        with self.assertRaisesRegex(Exception, "No such compile option: 'xla_foo'; acceld has .*acceld_compile"):
            jax.jit(lambda x: x * 98, compiler_options={"xla_foo": True})(jnp.ones(5))
        with self.assertRaisesRegex(Exception, "'perhaps' is not a valid bool value"):
            jax.jit(lambda x: x * 98, compiler_options={"xla_embed_ir_in_executable": "perhaps"})(jnp.ones(5))
        hinted = jax.jit(lambda x: x * 97, compiler_options={"xla_embed_ir_in_executable": True})
        np.testing.assert_array_equal(hinted(jnp.ones(5)), np.full(5, 97))

    def test_errors_of_the_daemons_compiler_say_where_the_op_was_made(self):
        call = jax.ffi.ffi_call("mystery", jax.ShapeDtypeStruct((3,), jnp.float32))
        with self.assertRaisesRegex(jax.errors.JaxRuntimeError, "run_package.py:[0-9]+.*'mystery' is not supported"):
            jax.jit(lambda x: call(x) + 1)(jnp.ones(3)).block_until_ready()
        # A program of another's that is the same but for its places: each is told of its own.
        with self.assertRaisesRegex(jax.errors.JaxRuntimeError, f"run_package.py:{line() + 1}:.*'mystery'"):
            jax.jit(lambda x: call(x) + 1)(jnp.ones(3)).block_until_ready()

    def test_where_a_program_was_made_does_not_matter_to_the_cache(self):
        x = jnp.ones(23)
        first = jax.jit(lambda x: jnp.cos(x) * 96)
        first(x).block_until_ready()
        compiles = acceld.stats()["compiles"]
        second = jax.jit(lambda x: jnp.cos(x) * 96)
        self.assertNotEqual(first.lower(x).as_text(debug_info=True), second.lower(x).as_text(debug_info=True))
        second(x).block_until_ready()
        self.assertEqual(acceld.stats()["compiles"], compiles)

    def test_may_be_initialized_again(self):
        from acceld import jax_plugin
        jax_plugin.initialize()
        np.testing.assert_array_equal(jax.jit(lambda x: x + 3)(jnp.ones(2)), [4, 4])

    def test_programs_take_and_give_tokens(self):
        token = jax.lax.create_token()
        values, token = jax.jit(lambda values, token: (values + 1, token))(jnp.ones(3), token)
        np.testing.assert_array_equal(values, [2, 2, 2])
        np.testing.assert_array_equal(jax.jit(lambda token, x: x * 2)(token, values), [4, 4, 4])

    def test_modules_that_are_imported_late_have_their_lowerings(self):
        jnp.ones(3).block_until_ready()  # the platform has started
        self.assertNotIn("jax.experimental.sparse", sys.modules)
        from jax.experimental import sparse
        rows = sparse.BCSR.fromdense(jnp.diag(jnp.array([2.0, 4.0])))
        solve = jax.jit(lambda b: sparse.linalg.spsolve(rows.data, rows.indices, rows.indptr, b))
        np.testing.assert_allclose(solve(jnp.ones(2)), [0.5, 0.25])

    def test_interactive_work_does_not_wait_for_batch_work(self):
        run = jax.jit(lambda n: jax.lax.fori_loop(0, n, lambda i, a: jnp.sin(a) + 1, jnp.zeros(100_000)))
        double = jax.jit(lambda x: x * 2)
        run(1).block_until_ready()
        double(jnp.ones(3)).block_until_ready()
        with acceld.timeout(60), acceld.priority("batch"):
            held = [run(10_000_000) for _ in range(3)]
        with acceld.priority("interactive"):
            np.testing.assert_array_equal(double(jnp.ones(3)), [2, 2, 2])
        self.assertFalse(any(x.is_ready() for x in held))
        with self.assertRaisesRegex(ValueError, "no priority 'urgent'"), acceld.priority("urgent"):
            pass


if __name__ == "__main__":
    unittest.main()
