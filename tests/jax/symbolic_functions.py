"""Functions that JAX exports with symbolic dimensions: one row a function. To add one, add its line.

A row is (name, function, arguments...), with a dictionary of tolerances at its end where float32's own are too tight.
An argument is F, I or B of its symbolic shape, as `jax.export.symbolic_shape` reads it. SIZES gives each symbol one
size for each of five runs; CONSTRAINTS is what the export may take for granted, and BROKEN_CONSTRAINTS breaks it.
"""

from typing import Callable, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import lax, nn

SIZES = dict(b=(1, 2, 3, 8, 17), s=(4, 6, 1, 10, 16), n=(5, 12, 2, 9, 31), m=(3, 2, 7, 20, 4), h=(2, 1, 3, 8, 5))
CONSTRAINTS = ("n >= 2",)


class Argument(NamedTuple):
    shape: str
    dtype: type
    make: Callable  # (rng, sizes) -> values


def F(shape):  # normal numbers
    return Argument(shape, np.float32, lambda rng, sizes: rng.standard_normal(sizes))


def I(shape, low=-9, high=10):
    return Argument(shape, np.int32, lambda rng, sizes: rng.integers(low, high, sizes))


def B(shape):
    return Argument(shape, np.bool_, lambda rng, sizes: rng.integers(0, 2, sizes))


loose = dict(rtol=1e-4, atol=1e-4)


def attention(q, k, v):
    scores = jnp.einsum("bqd,bkd->bqk", q, k) / np.sqrt(q.shape[-1])
    causal = jnp.tril(jnp.ones((q.shape[1], q.shape[1]), bool))
    return nn.softmax(jnp.where(causal, scores, -1e9)) @ v


def mlp_loss(w1, b1, w2, x, labels):
    logits = nn.relu(x @ w1 + b1) @ w2
    return optax.softmax_cross_entropy_with_integer_labels(logits, labels).mean()


def convolve(x, w):
    return lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))


def halvings(x):  # how often all of it can be halved
    return lax.while_loop(lambda c: jnp.max(c[1]) > 1e-3, lambda c: (c[0] + 1, c[1] / 2), (0, jnp.abs(x)))


SYMBOLIC_FUNCTIONS = [
    # Elementwise ops and broadcasts
    ("elementwise", lambda x, y: jnp.where(x > y, jnp.tanh(x) * y, jnp.exp(-x * x)), F("b, s"), F("s")),
    ("scalar broadcast", lambda x: x * 2 + x.shape[0], F("b, 3")),
    ("size as a value", lambda x: x / x.shape[0] + jnp.float32(x.shape[1] ** 2), F("b, s")),
    ("outer", lambda x, y: x[:, None] - y[None, :], F("n"), F("m")),
    ("integers", lambda x: (x // 3, x % 4, x << 1, jnp.bitwise_xor(x, 5)), I("b, n")),
    ("booleans", lambda x: (x.all(), x.any(0), jnp.logical_not(x)), B("b, n")),
    # Shapes computed from shapes
    ("softmax of a product, flat", lambda x, w: nn.softmax(x @ w).reshape(-1), F("b, s, 8"), F("8, 5")),
    ("reshape b*s", lambda x: jnp.sin(x).reshape(x.shape[0] * x.shape[1], 3), F("b, s, 3")),
    ("reshape halves", lambda x: x.reshape(x.shape[0], -1, 2).sum(-1), F("b, 2*h")),
    ("transpose", lambda x: x.transpose(2, 0, 1) * 2, F("b, s, n")),
    ("concatenate", lambda x, y: jnp.concatenate([x, y, x], axis=0), F("n, 3"), F("m, 3")),
    ("stack", lambda x, y: jnp.stack([x, y], axis=1), F("b, s"), F("b, s")),
    ("pad", lambda x: jnp.pad(x, ((1, x.shape[1]), (x.shape[0], 2)), constant_values=7), F("b, s")),
    ("arange", lambda x: jnp.arange(x.shape[0]) * x[0], I("n")),
    ("linspace", lambda x: jnp.linspace(0.0, 1.0, x.shape[0], endpoint=False) + x, F("n")),
    ("tile", lambda x: jnp.tile(x, (x.shape[0], 2)), F("b, 3")),
    ("repeat", lambda x: jnp.repeat(x, 3, axis=0), F("b, s")),
    ("eye", lambda x: jnp.eye(x.shape[0]) + x, F("n, n")),
    ("slices", lambda x: (x[1:], x[:-1] - x[1:], x[::-1]), F("n, 3")),
    ("strides", lambda x: x[:, ::2] + x[:, 1::2], F("b, 2*h")),
    ("split", lambda x: jnp.split(x, 2, axis=1), F("b, 2*h")),
    # Reductions and scans
    ("mean, var", lambda x: (x.mean(), x.var(0), x.std(1)), F("n, m")),
    ("layer norm", lambda x: nn.standardize(x, axis=-1), F("b, s, n"), loose),
    ("logsumexp", lambda x: nn.logsumexp(x, axis=1), F("b, n")),
    ("argmax, min", lambda x: (jnp.argmax(x, 1), x.min(0)), F("b, n")),
    ("cumsum", lambda x: jnp.cumsum(x, axis=1), F("b, n"), loose),
    ("cummax", lambda x: lax.cummax(x, axis=0), F("n, b")),
    ("pooling", lambda x: lax.reduce_window(x, -np.inf, lax.max, (1, 2), (1, 2), "VALID"), F("b, 2*h + 1")),
    # Orders
    ("sort", lambda x: jnp.sort(x, axis=-1), F("b, n")),
    ("argsort", lambda x: jnp.argsort(x, axis=-1), F("b, n")),
    ("top_k", lambda x: lax.top_k(x, 2), F("b, n")),
    ("approx_max_k", lambda x: lax.approx_max_k(x, 2), F("b, n")),
    ("approx_min_k of symbolic k", lambda x: lax.approx_min_k(x, x.shape[1], reduction_dimension=0), F("n + b, b")),
    # Indexing
    ("gather", lambda x, i: x[i], F("n, 3"), I("m", 0, 2)),
    ("take_along_axis", lambda x, i: jnp.take_along_axis(x, i, axis=1), F("b, n"), I("b, m", 0, 2)),
    ("scatter add", lambda x, i, u: x.at[i].add(u), F("n, 3"), I("m", 0, 2), F("m, 3")),
    ("segment_sum", lambda x, i: jax.ops.segment_sum(x, i, num_segments=4), F("n, 3"), I("n", 0, 4)),
    ("one_hot", lambda i: nn.one_hot(i, 6), I("b, n", 0, 6)),
    ("one_hot of symbolic width", lambda i, x: nn.one_hot(i, x.shape[0]), I("b", 0, 2), F("n")),
    ("dynamic_slice", lambda x, i: lax.dynamic_slice(x, (i, 0), (2, 4)), F("n, 4"), I("", 0, 20)),
    ("dynamic_update_slice", lambda x, u, i: lax.dynamic_update_slice(x, u, (i, 0)), F("n, s"), F("2, s"), I("", 0, 20)),
    # Products
    ("einsum", lambda x, y: jnp.einsum("bij,bjk->bik", x, y), F("b, s, n"), F("b, n, m"), loose),
    ("tensordot", lambda x, y: jnp.tensordot(x, y, axes=([0, 1], [1, 0])), F("b, s, 3"), F("s, b, 4"), loose),
    ("attention", attention, F("b, s, 8"), F("b, s, 8"), F("b, s, 8")),
    ("convolution", convolve, F("b, 8, 8, 3"), F("3, 3, 3, 4"), loose),
    ("convolution of symbolic images", convolve, F("b, s, n, 2"), F("3, 3, 2, 4"), loose),
    ("vmap", jax.vmap(lambda x, y: jnp.dot(x, y) + x.sum()), F("b, n"), F("b, n"), loose),
    # Control flow
    ("while", halvings, F("b, n")),
    ("fori_loop to a symbolic bound", lambda x: lax.fori_loop(0, x.shape[0], lambda i, c: c + x[i] * i, 0.0), F("n"), loose),
    ("scan over ten", lambda x, y: lax.scan(lambda c, z: (jnp.tanh(c + z), c.sum(-1)), x, y), F("b, 4"), F("10, 4"), loose),
    ("scan over symbolic time", lambda x, w: lax.scan(lambda c, z: (jnp.tanh(c @ w + z), c), jnp.zeros(x.shape[1:]), x),
     F("s, b, 4"), F("4, 4"), loose),
    ("cond", lambda x: lax.cond(x.sum() > 0, jnp.sin, lambda y: y * y, x), F("b, s")),
    ("map", lambda x: lax.map(lambda row: jnp.sort(row)[0], x), F("b, 5")),
    # Gradients
    ("gradient of a loss", jax.value_and_grad(mlp_loss, (0, 1, 2)), F("4, 8"), F("8"), F("8, 3"), F("b, 4"), I("b", 0, 3), loose),
    ("gradient of attention", jax.grad(lambda q, k, v: attention(q, k, v).sum(), (0, 1, 2)),
     F("b, s, 4"), F("b, s, 4"), F("b, s, 4"), loose),
    ("gradient of a gather", jax.grad(lambda x, i: (x[i] ** 2).sum()), F("n, 3"), I("m", 0, 2)),
    ("gradient of a cumsum", jax.grad(lambda x: (jnp.cumsum(x, 1) ** 2).sum()), F("b, n"), dict(rtol=1e-4, atol=1e-3)),
]

# One that breaks what was taken for granted: sizes of its own, and what the daemon must say of them.
BROKEN_CONSTRAINTS = [
    ("a symbol with two sizes", lambda x, y: x + y, [F("b, s"), F("s")], [(2, 4), (6,)],
     "Found inconsistency between dimension size args[1].shape[0] (= 6) and the specification 's' (= 4)"),
    ("too small", lambda x: x[1:] - x[:-1], [F("n")], [(1,)],
     "Input shapes do not match the symbolic shape constraint n >= 2. Expected 'n - 2' to be greater or equal to 0, but found -1"),
    ("not even", lambda x: x.reshape(-1, 2), [F("2*h")], [(7,)], "Division had remainder 1 when computing the value of 'h'"),
    ("another fixed size", lambda x: x * 2, [F("b, 3")], [(2, 4)], "tensor<2x4xf32>"),
]
