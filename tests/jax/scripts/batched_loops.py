"""Loops and branches under vmap: while loops of different lengths, nested, with batched conditions, and switches."""

import sys

import jax
import jax.numpy as jnp
import numpy as np


def collatz(n):
    return jax.lax.while_loop(lambda c: c[0] != 1, lambda c: (jnp.where(c[0] % 2, 3 * c[0] + 1, c[0] // 2), c[1] + 1),
                              (n, 0))[1]


def mandelbrot(c):
    return jax.lax.while_loop(lambda s: (jnp.abs(s[0]) < 2) & (s[1] < 60), lambda s: (s[0] ** 2 + c, s[1] + 1),
                              (jnp.complex64(0), 0))[1]


def bisect(target):
    def halve(_, bounds):
        low, high = bounds
        middle = (low + high) / 2
        return jax.lax.cond(middle**3 < target, lambda: (middle, high), lambda: (low, middle))

    return jax.lax.fori_loop(0, 30, halve, (0.0, 4.0))[0]


def nested(x, limit):
    def outer(carry):
        i, y = carry
        inner = jax.lax.while_loop(lambda z: z < i * 2.0, lambda z: z + y, 0.0)
        return i + 1, y + inner / 10

    return jax.lax.while_loop(lambda c: c[0] < limit, outer, (0, x))[1]


def branch(i, x):
    def six_times(v):
        return jax.lax.fori_loop(0, 5, lambda _, w: w + v, v)

    return jax.lax.switch(i, [jnp.sin, jnp.cos, jnp.square, six_times], x)


def main():
    grid = jnp.linspace(-2, 1, 24)[None, :] + 1j * jnp.linspace(-1.2, 1.2, 16)[:, None]
    numbers = jnp.linspace(0.5, 2.0, 8)
    np.savez(
        sys.argv[1], collatz=jax.jit(jax.vmap(collatz))(jnp.arange(1, 60)),
        mandelbrot=jax.jit(jax.vmap(jax.vmap(mandelbrot)))(grid), roots=jax.jit(jax.vmap(bisect))(numbers * 8),
        nested=jax.vmap(nested)(numbers, jnp.arange(8) % 5 + 1),
        shared=jax.vmap(nested, in_axes=(0, None))(numbers, 4),
        branches=jax.jit(jax.vmap(branch))(jnp.arange(12) % 4, jnp.linspace(0, 3, 12)),
        gradient=jax.vmap(jax.grad(lambda x: jax.lax.scan(lambda c, _: (jnp.sin(c) * x, c), x, None, 6)[0]))(numbers),
        mapped=jax.lax.map(
            lambda x: jax.lax.while_loop(lambda y: y < 10, lambda y: y * (1 + x), x), numbers, batch_size=3),
        prefix=jax.lax.associative_scan(jnp.matmul, numbers[:, None, None] * jnp.array([[1.0, 0.5], [0.5, 0.2]])))


if __name__ == "__main__":
    main()
