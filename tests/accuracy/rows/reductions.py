"""Sums, products and what is made of them, over every order of axes."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from row import Numbers, Row

n = Numbers(1)
POSITIVE, NORMAL = n.uniform, n.normal


def max_pool(x):
    return lax.reduce_window(x, np.array(-np.inf, x.dtype), lax.max, (1, 5, 5, 1), (1, 1, 1, 1), "VALID")


def total(*axes):
    return lambda x: jnp.sum(x, axis=axes or None)


ROWS = [
    *[Row(f"sum {'x'.join(map(str, x.shape))} over {', '.join(map(str, axes))}", total(*axes), (x,))
      for x, axes in [
          (POSITIVE(65536, 8), (0,)), (POSITIVE(65536, 1), (0,)), (POSITIVE(4096, 300), (0,)),
          (POSITIVE(1000, 1000), (0,)), (POSITIVE(1000, 33), (0,)), (POSITIVE(100000, 3), (0,)),
          (POSITIVE(512, 9000), (0,)),
          (POSITIVE(256, 20000), (1,)), (POSITIVE(64, 65536), (1,)), (POSITIVE(1000, 1000), (1,)),
          (POSITIVE(5000, 37), (1,)), (POSITIVE(16, 300001), (1,)),
          (POSITIVE(17, 19, 23, 29), (0, 1, 2)), (POSITIVE(4, 16, 16, 64), (0, 1, 2)),
          (POSITIVE(32, 56, 56, 16), (0, 1, 2)),
          (POSITIVE(16, 64, 30, 30), (0, 2, 3)), (POSITIVE(64, 300, 40), (1,)), (POSITIVE(64, 300, 40), (0, 2)),
          (POSITIVE(3, 100000, 4), (1,)), (POSITIVE(70, 50, 60, 20), (0, 2)), (POSITIVE(70, 50, 60, 20), (1, 3)),
          (POSITIVE(50, 60, 70, 8), (2,)), (POSITIVE(7, 11, 13, 17, 19), (0, 2, 4))]],
    Row("sum of 1000 vectors of 70000 normal numbers", lambda x: jnp.sum(x, axis=1), (NORMAL(1000, 70_000),)),
    Row("sum 5000x640 over 0, normal numbers", total(0), (NORMAL(5000, 640),)),
    Row("sum 20000x256 over 0, normal numbers", total(0), (NORMAL(20000, 256),)),
    Row("sum 4096x300 over 0, large mean", total(0), (NORMAL(4096, 300, mean=100),)),
    Row("sum bf16 8192x64 over 0", total(0), (POSITIVE(8192, 64),), dtype="bfloat16"),
    Row("sum f16 64x8192 over 1", total(1), (POSITIVE(64, 8192),), dtype="float16"),
    Row("sum f64 65536x8 over 0", total(0), (POSITIVE(65536, 8),), dtype="float64",
        truth=lambda x: x.astype("longdouble").sum(axis=0)),
    Row("sum complex 20000x100 over 0", total(0), (n.complex(20000, 100),)),
    Row("sum of squares 20000x64 over 0", lambda x: jnp.sum(x * x, axis=0), (NORMAL(20000, 64),)),
    Row("sum of exp 64x20000 over 1", lambda x: jnp.sum(jnp.exp(x), axis=1), (NORMAL(64, 20000),)),
    Row("two sums of one array 30000x16 over 0", lambda x: (jnp.sum(x, axis=0), jnp.sum(x * x, axis=0)),
        (POSITIVE(30000, 16),)),
    Row("a sum over a transposed array", lambda x: jnp.sum(x.T, axis=0), (POSITIVE(300, 20000),)),
    Row("a sum over a broadcast sum", lambda x, y: jnp.sum(x[:, None, :] * y[None, :, :], axis=0),
        (POSITIVE(5000, 16), POSITIVE(9, 16))),
    Row("mean 50000x20 over 0", lambda x: jnp.mean(x, axis=0), (POSITIVE(50000, 20),)),
    Row("variance 50000x20 over 0", lambda x: jnp.var(x, axis=0), (NORMAL(50000, 20),)),
    Row("variance 64x30000 over 1", lambda x: jnp.var(x, axis=1), (NORMAL(64, 30000, mean=1),)),
    Row("standard deviation 300x1000 over 1", lambda x: jnp.std(x, axis=1), (NORMAL(300, 1000),)),
    Row("product 1000x64 over 0", lambda x: jnp.prod(x, axis=0), (n.uniform(1000, 64, low=0.9, high=1.1),)),
    Row("product 64x1000 over 1", lambda x: jnp.prod(x, axis=1), (n.uniform(64, 1000, low=0.9, high=1.1),)),
    Row("norm 64x10000 over 1", lambda x: jnp.linalg.norm(x, axis=1), (NORMAL(64, 10000),)),
    Row("norm 10000x64 over 0", lambda x: jnp.linalg.norm(x, axis=0), (NORMAL(10000, 64),)),
    Row("logsumexp 64x20000 over 1", lambda x: jax.nn.logsumexp(x, axis=1), (NORMAL(64, 20000),)),
    Row("logsumexp 20000x64 over 0", lambda x: jax.nn.logsumexp(x, axis=0), (NORMAL(20000, 64),)),
    Row("segment sum 100000x8 into 64", lambda x, i: jax.ops.segment_sum(x, i, 64),
        (POSITIVE(100000, 8), n.integers(100000, below=64))),
    Row("segment sum 20000 into 50", lambda x, i: jax.ops.segment_sum(x, i, 50),
        (POSITIVE(20000), n.integers(20000, below=50))),
    Row("scatter add bf16 20000x16 into 32", lambda x, i: jnp.zeros((32, 16), x.dtype).at[i].add(x),
        (POSITIVE(20000, 16), n.integers(20000, below=32)), dtype="bfloat16"),
    Row("scatter add f16 into a large table", lambda x, i: jnp.zeros((20000, 4), x.dtype).at[i].add(x),
        (POSITIVE(3000, 4), n.integers(3000, below=6)), dtype="float16"),
    Row("gradient of max pool bf16", lambda x, d: jax.vjp(max_pool, x)[1](d)[0],
        (n.normal(2, 30, 30, 8), POSITIVE(2, 26, 26, 8)), dtype="bfloat16"),
    Row("gradient of a gather from 100x32", lambda t, i, d: jax.vjp(lambda t: t[i], t)[1](d)[0],
        (NORMAL(100, 32), n.integers(30000, below=100), POSITIVE(30000, 32))),
    Row("histogram weights", lambda x, w: jnp.zeros(40, w.dtype).at[jnp.clip(x, 0, 39)].add(w),
        (n.integers(50000, below=40), POSITIVE(50000))),
    Row("weighted mean of three", lambda x, w: jnp.average(x, axis=0, weights=w), (NORMAL(30000, 12), POSITIVE(30000))),
    Row("covariance of 8 variables", jnp.cov, (NORMAL(8, 20000),)),
    Row("a sum in a scan of 200 steps", lambda x: lax.scan(lambda c, r: (c + jnp.sum(r, axis=0), None),
                                                         jnp.zeros(16, x.dtype), x)[0], (POSITIVE(200, 500, 16),)),
]
