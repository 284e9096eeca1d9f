"""Softmax and layer norm over rows, and their gradients."""

import jax
import jax.numpy as jnp

from ...operands import uniform
from ...workload import Workload


def softmax(x):
    return jax.nn.softmax(x, axis=-1)


def layer_norm(x, scale, bias):
    mean = x.mean(axis=-1, keepdims=True)
    variance = jnp.square(x - mean).mean(axis=-1, keepdims=True)
    return (x - mean) * jax.lax.rsqrt(variance + 1e-5) * scale + bias


def softmax_gradient(x, direction):
    return jax.vjp(softmax, x)[1](direction)


def layer_norm_gradient(x, scale, bias, direction):
    return jax.vjp(layer_norm, x, scale, bias)[1](direction)


ROWS = uniform(8192, 1024, low=-3.0, high=3.0)
DIRECTION = uniform(8192, 1024, seed=1)
SCALE, BIAS = uniform(1024, seed=2, low=0.5, high=1.5), uniform(1024, seed=3)

WORKLOADS = [
    Workload("softmax_8192x1024", softmax, (ROWS,)),
    Workload("softmax_gradient_8192x1024", softmax_gradient, (ROWS, DIRECTION)),
    Workload("layer_norm_8192x1024", layer_norm, (ROWS, SCALE, BIAS)),
    Workload("layer_norm_gradient_8192x1024", layer_norm_gradient, (ROWS, SCALE, BIAS, DIRECTION)),
]
