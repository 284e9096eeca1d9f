#!/usr/bin/env python3
"""JAX on a daemon with a GPU, which a stand-in driver is here: the GPU comes first, the CPU is a device beside it.

    run_gpu.py BIN PLUGIN DRIVER    BIN has acceld and accelctl, PLUGIN is the shared object, DRIVER has libcuda.so.1
"""

import os
import sys
import unittest

import inside

os.environ["LD_LIBRARY_PATH"] = sys.argv[-1]  # for the daemon
inside.enter()

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402

GPU, CPU = jax.devices()


class GpuTest(unittest.TestCase):
    def test_the_gpu_comes_first(self):
        self.assertEqual([device.id for device in (GPU, CPU)], [0, 1])
        self.assertIn("cuda:0", str(GPU))
        self.assertIn("cpu:0", str(CPU))
        self.assertEqual([device.platform for device in (GPU, CPU)], ["acceld", "acceld"])
        self.assertEqual(jnp.ones(2).devices(), {GPU})
        self.assertGreater(GPU.memory_stats()["bytes_limit"], 0)

    def test_a_gradient_of_a_batch(self):
        def loss(weights, x):
            return jnp.sum(jnp.tanh(x @ weights)) ** 2

        weights, x = jnp.linspace(-1, 1, 12).reshape(4, 3), jnp.linspace(-2, 2, 20).reshape(5, 4)
        step = jax.jit(jax.vmap(jax.grad(loss), (None, 0)))
        with jax.default_device(CPU):
            wanted = step(*(jax.device_put(one, CPU) for one in (weights, x)))
        self.assertEqual(wanted.devices(), {CPU})
        given = step(weights, x)
        self.assertEqual(given.devices(), {GPU})
        np.testing.assert_allclose(given, wanted, rtol=2e-5, atol=2e-5)

    def test_arrays_move_between_the_devices(self):
        for values in (np.arange(7, dtype=np.int8), np.ones((300, 301), np.float32), np.zeros((0, 2), np.float32)):
            there = jax.device_put(values, GPU)
            back = jax.device_put(there, CPU)
            again = jax.device_put(back, GPU)
            self.assertEqual((there.devices(), back.devices(), again.devices()), ({GPU}, {CPU}, {GPU}))
            for one in (there, back, again):
                np.testing.assert_array_equal(np.asarray(one), values)

    def test_arrays_of_both_do_not_mix(self):
        with self.assertRaisesRegex(ValueError, "incompatible devices"):
            jax.jit(jnp.add)(jax.device_put(1.0, GPU), jax.device_put(1.0, CPU))

    def test_a_donated_array_is_gone(self):
        x = jnp.arange(1000.0)
        doubled = jax.jit(lambda x: x * 2, donate_argnums=0)(x)
        self.assertTrue(x.is_deleted())
        np.testing.assert_array_equal(doubled, 2 * np.arange(1000.0))

    def test_a_program_calls_back(self):
        called = []

        def root(x):
            called.append(x.shape)
            return np.sqrt(x)

        @jax.jit
        def program(x):
            return jax.pure_callback(root, jax.ShapeDtypeStruct(x.shape, x.dtype), x + 1) * 2

        np.testing.assert_allclose(program(jnp.arange(4.0)), 2 * np.sqrt(np.arange(1.0, 5.0)), rtol=1e-6)
        self.assertEqual(called, [(4,)])

    def test_memory_that_no_gpu_has_is_an_error_of_its_array(self):
        with self.assertRaisesRegex(jax.errors.JaxRuntimeError, "RESOURCE_EXHAUSTED"):
            jax.jit(lambda: jnp.zeros((1 << 45,), jnp.int8))().block_until_ready()
        np.testing.assert_array_equal(jnp.zeros(3, jnp.int8), [0, 0, 0])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
