"""Calls jitted functions from sixteen threads at once: the same ones, ones of their own, and new shapes."""

import concurrent.futures
import sys
import threading

import jax
import jax.numpy as jnp
import numpy as np

THREADS, ROUNDS = 16, 12
START = threading.Barrier(THREADS)


@jax.jit
def shared(x):
    return jnp.tanh(x @ x.T).sum(axis=1)


@jax.jit
def loop(x):
    return jax.lax.fori_loop(0, 50, lambda i, y: jnp.sin(y) + x * i, x)


def work(thread):
    own = jax.jit(lambda x: x * (thread + 1) - 0.5)
    START.wait()
    total = jnp.zeros(())
    x = jax.device_put(np.full((8, 8), 0.01 * (thread + 1), np.float32))
    for round in range(ROUNDS):
        x = own(loop(x)) * 0.1
        total += shared(x).sum() + shared(jnp.ones((2 + round % 4, 3)) * x[0, 0]).mean()
        if round % 3 == thread % 3:
            total += float(x[1, 1])  # waits for a value in the midst of others' calls
    return total


def main():
    with concurrent.futures.ThreadPoolExecutor(THREADS) as pool:
        totals = list(pool.map(work, range(THREADS)))
    np.savez(sys.argv[1], totals=jnp.stack(totals))


if __name__ == "__main__":
    main()
