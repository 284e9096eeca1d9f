"""Scans and windows."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from row import Numbers, Row

n = Numbers(2)
POSITIVE, NORMAL = n.uniform, n.normal


def window_sum(x, window, strides, padding="VALID"):
    return lax.reduce_window(x, np.zeros((), x.dtype), lax.add, window, strides, padding)


def average_pool(x, size, stride):
    return window_sum(x, (1, size, size, 1), (1, stride, stride, 1)) / (size * size)


ROWS = [
    Row("cumsum 65536", jnp.cumsum, (POSITIVE(65536),)),
    Row("cumsum 65536 normal numbers", jnp.cumsum, (NORMAL(65536),)),
    Row("cumsum 1000001", jnp.cumsum, (POSITIVE(1_000_001),)),
    Row("cumsum 64x3000 over 1", lambda x: jnp.cumsum(x, axis=1), (POSITIVE(64, 3000),)),
    Row("cumsum 20000x16 over 0", lambda x: jnp.cumsum(x, axis=0), (POSITIVE(20000, 16),)),
    Row("cumsum 30x2000x17 over 1", lambda x: jnp.cumsum(x, axis=1), (POSITIVE(30, 2000, 17),)),
    Row("reverse cumsum 30000", lambda x: lax.cumsum(x, axis=0, reverse=True), (POSITIVE(30000),)),
    Row("cumsum bf16 4096", jnp.cumsum, (POSITIVE(4096),), dtype="bfloat16"),
    Row("cumsum complex 10000", jnp.cumsum, (n.complex(10000),)),
    Row("cumprod 2000", jnp.cumprod, (n.uniform(2000, low=0.9, high=1.1),)),
    Row("cumlogsumexp 20000", lax.cumlogsumexp, (NORMAL(20000),)),
    Row("cumlogsumexp 3000x40 over 0", lambda x: lax.cumlogsumexp(x, axis=0), (NORMAL(3000, 40),)),
    Row("reverse cumlogsumexp 7x5000", lambda x: lax.cumlogsumexp(x, axis=1, reverse=True), (NORMAL(7, 5000),)),
    Row("cumlogsumexp bf16 6000", lax.cumlogsumexp, (NORMAL(6000),), dtype="bfloat16"),
    Row("gradient of cumlogsumexp 40x500", lambda x, d: jax.vjp(lambda x: lax.cumlogsumexp(x, axis=1), x)[1](d)[0],
        (NORMAL(40, 500), NORMAL(40, 500))),
    Row("cumulative mean", lambda x: jnp.cumsum(x) / jnp.arange(1, x.size + 1, dtype=x.dtype), (POSITIVE(50000),)),
    Row("associative scan of sums", lambda x: lax.associative_scan(jnp.add, x), (POSITIVE(4000),)),
    Row("gradient of cumsum", lambda x, d: jax.vjp(jnp.cumsum, x)[1](d)[0], (POSITIVE(30000), POSITIVE(30000))),
    Row("window sum of 1000 along 20000", lambda x: window_sum(x, (1000,), (1,)), (POSITIVE(20000),)),
    Row("window sum 40x40 of 200x200", lambda x: window_sum(x, (40, 40), (5, 5)), (POSITIVE(200, 200),)),
    Row("window sum 7 along 3x500x20", lambda x: window_sum(x, (1, 7, 1), (1, 2, 1)), (POSITIVE(3, 500, 20),)),
    Row("window sum of 3000 along columns", lambda x: window_sum(x, (3000, 1), (500, 1)), (POSITIVE(10000, 9),)),
    Row("average pool 3x3", lambda x: average_pool(x, 3, 2), (POSITIVE(4, 33, 33, 16),)),
    Row("average pool 28x28", lambda x: average_pool(x, 28, 28), (POSITIVE(4, 56, 56, 16),)),
    Row("gradient of average pool", lambda x, d: jax.vjp(lambda x: average_pool(x, 7, 1), x)[1](d)[0],
        (POSITIVE(2, 20, 20, 8), POSITIVE(2, 14, 14, 8))),
    Row("window sum bf16 of 500", lambda x: window_sum(x, (500,), (100,)), (POSITIVE(10000),), dtype="bfloat16"),
    Row("moving average by convolution", lambda x: jnp.convolve(x, jnp.full(50, 0.02, x.dtype)), (POSITIVE(5000),)),
]
