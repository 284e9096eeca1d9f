"""Normalizations and softmax, forward and backward."""

import jax
import jax.numpy as jnp
from jax import lax

from row import Numbers, Row

n = Numbers(3)
NORMAL = n.normal


def batch_norm(x, scale, bias):
    axes = tuple(range(x.ndim - 1))
    mean, square = jnp.mean(x, axis=axes), jnp.mean(x * x, axis=axes)
    return (x - mean) * lax.rsqrt(square - mean * mean + 1e-5) * scale + bias


def batch_statistics(x):
    axes = tuple(range(x.ndim - 1))
    mean = jnp.mean(x, axis=axes)
    return mean, jnp.mean(x * x, axis=axes) - mean * mean


def layer_norm(x, scale, bias):
    mean = jnp.mean(x, axis=-1, keepdims=True)
    variance = jnp.mean(jnp.square(x - mean), axis=-1, keepdims=True)
    return (x - mean) * lax.rsqrt(variance + 1e-5) * scale + bias


def rms_norm(x, scale):
    return x * lax.rsqrt(jnp.mean(x * x, axis=-1, keepdims=True) + 1e-6) * scale


def group_norm(x, scale, bias, groups=4):
    split = x.reshape(x.shape[0], -1, groups, x.shape[-1] // groups)
    mean = split.mean(axis=(1, 3), keepdims=True)
    variance = jnp.square(split - mean).mean(axis=(1, 3), keepdims=True)
    return ((split - mean) * lax.rsqrt(variance + 1e-5)).reshape(x.shape) * scale + bias


def gradients(f, *arguments):
    return lambda *a: jax.vjp(f, *a[:-1])[1](a[-1])


def both(name, f, arguments):
    shape = jax.eval_shape(f, *arguments).shape
    return [Row(name, f, arguments), Row(f"gradients of {name}", gradients(f), (*arguments, NORMAL(*shape)))]


def image(*dims):
    return NORMAL(*dims, mean=0.5), n.uniform(dims[-1], low=0.5, high=1.5), NORMAL(dims[-1])


ROWS = [
    *both("batch norm 4x16x16x64", batch_norm, image(4, 16, 16, 64)),
    *both("batch norm 16x28x28x32", batch_norm, image(16, 28, 28, 32)),
    *both("batch norm 4096x100", batch_norm, image(4096, 100)),
    Row("batch norm statistics 4x16x16x64", batch_statistics, (NORMAL(4, 16, 16, 64),)),
    Row("batch norm statistics 32x32x32x16", batch_statistics, (NORMAL(32, 32, 32, 16),)),
    *both("layer norm 128x1024", layer_norm, image(128, 1024)),
    *both("layer norm 4x100x768", layer_norm, image(4, 100, 768)),
    *both("layer norm 40000x64", layer_norm, image(40000, 64)),
    *both("rms norm 100000x16", rms_norm, image(100000, 16)[:2]),
    *both("layer norm 40x20000", layer_norm, image(40, 20000)),
    *both("rms norm 256x2048", rms_norm, image(256, 2048)[:2]),
    *both("group norm 8x400x32", group_norm, image(8, 400, 32)),
    *both("softmax 256x1000", jax.nn.softmax, (NORMAL(256, 1000),)),
    *both("softmax over columns 3000x64", lambda x: jax.nn.softmax(x, axis=0), (NORMAL(3000, 64),)),
    *both("log softmax 64x30000", jax.nn.log_softmax, (NORMAL(64, 30000),)),
    Row("softmax bf16 64x4096", jax.nn.softmax, (NORMAL(64, 4096),), dtype="bfloat16"),
    Row("layer norm bf16 64x768", layer_norm, image(64, 768), dtype="bfloat16"),
    Row("cross entropy", lambda x, i: -jnp.take_along_axis(jax.nn.log_softmax(x), i[:, None], axis=1),
        (NORMAL(512, 5000), n.integers(512, below=5000))),
    Row("standardize columns", lambda x: (x - x.mean(0)) / x.std(0), (NORMAL(20000, 30, mean=3),)),
    Row("standardize rows", jax.nn.standardize, (NORMAL(200, 3000, mean=3),)),
]
