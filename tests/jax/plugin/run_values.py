#!/usr/bin/env python3
"""How the values of arrays come to a JAX program: read in place, copied, early or late, by one thread or by many.

    run_values.py BIN PLUGIN [TEST ...]       BIN has acceld and accelctl, PLUGIN is the shared object
"""

import threading
import time
import unittest

import inside

inside.enter()

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402


@jax.jit
def slow(n):
    """Some tenths of a second for 20,000 rounds."""
    return jax.lax.fori_loop(0, n, lambda _, a: jnp.sin(a) + 1, jnp.zeros(1000))


class ValuesTest(unittest.TestCase):
    def test_a_value_that_was_read_stays_when_its_array_is_donated(self):
        y = jnp.arange(8.0) + 1
        y.block_until_ready()
        view = np.asarray(y)
        self.assertFalse(view.flags.writeable)
        doubled = jax.jit(lambda y: y * 2, donate_argnums=0)(y)
        self.assertTrue(y.is_deleted())
        with self.assertRaisesRegex(RuntimeError, "deleted"):
            np.asarray(y)
        np.testing.assert_array_equal(doubled, 2 * np.arange(1.0, 9.0))
        del y, doubled
        np.testing.assert_array_equal(view, np.arange(1.0, 9.0))

    def test_the_end_of_a_run_comes_whichever_of_its_results_are_left(self):
        def never(i, c):
            jax.debug.callback(lambda i: None, i)
            return c

        # JAX waits for the ends of these, as there might be callbacks in them.
        @jax.jit
        def run(x, rounds):
            x = jax.lax.fori_loop(0, rounds, lambda _, a: jnp.sin(a) + 1, x)
            return x * 3, jax.lax.fori_loop(0, 0, never, x * 2), x * 5

        consume = jax.jit(lambda y: y + 1, donate_argnums=0)

        def wait(rounds, pause, gone, donated):
            results = list(run(jnp.ones(1000), rounds))
            time.sleep(pause)
            others = [consume(results[i]) for i in donated]
            for i in gone:
                results[i] = None
            jax.effects_barrier()
            jax.block_until_ready(others)

        for rounds in (1, 100_000):
            for pause in (0, 0.05):
                for gone, donated in (((0,), ()), ((1,), ()), ((0, 2), ()), ((0, 1, 2), ()), ((), (0,)), ((1,), (0, 2))):
                    # JAX knows of the ends of what this thread has started.
                    thread = threading.Thread(target=wait, args=(rounds, pause, gone, donated), daemon=True)
                    thread.start()
                    thread.join(20)
                    self.assertFalse(thread.is_alive(), (rounds, pause, gone, donated))

    def test_a_value_that_was_read_stays_when_its_array_is_deleted(self):
        y = jnp.arange(8) + 1
        y.block_until_ready()
        view = memoryview(y)
        y.delete()
        np.testing.assert_array_equal(np.array(view), np.arange(1, 9))
        with self.assertRaises(BufferError):
            memoryview(y)

    def test_a_value_that_is_asked_for_before_it_is_there(self):
        wanted = np.asarray(slow(20_000))
        for ask in (lambda y: y.copy_to_host_async(), lambda y: y.is_ready(), np.asarray, lambda y: float(y[0])):
            y = slow(20_000)
            ask(y)
            np.testing.assert_array_equal(np.asarray(y), wanted)
            np.testing.assert_array_equal(np.asarray(y), wanted)

    def test_values_of_all_dtypes_and_sizes(self):
        for dtype in ("bool", "int4", "int8", "uint16", "float8_e4m3fn", "bfloat16", "float32", "complex64"):
            for shape in ((), (0, 3), (5,), (33, 7), (300, 301)):
                values = (np.arange(np.prod(shape, dtype=int)) % 5).reshape(shape).astype(jnp.dtype(dtype))
                np.testing.assert_array_equal(np.asarray(jax.device_put(values)), values)
                np.testing.assert_array_equal(np.asarray(jnp.roll(jax.device_put(values), 0)), values)

    def test_threads_that_read_the_same_arrays(self):
        arrays = [slow(10 * (i % 40)) + i for i in range(80)]
        wanted = [np.asarray(slow(10 * (i % 40))) + np.float32(i) for i in range(80)]
        found = {}

        def read(thread):
            found[thread] = [np.asarray(array) for array in arrays]

        threads = [threading.Thread(target=read, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for thread in range(8):
            np.testing.assert_array_equal(found[thread], wanted)


if __name__ == "__main__":
    unittest.main()
