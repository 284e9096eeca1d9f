"""Products and perceptrons of int8 and bfloat16."""

import jax
import jax.numpy as jnp

from ...operands import uniform
from ...workload import Workload

SIZE, BATCH, WIDTH, HIDDEN = 1024, 128, 1024, 4096


def multiply_int8(x, y):
    return jax.lax.dot(x, y, preferred_element_type=jnp.int32)


def mlp_bfloat16(up, down, x):
    return jax.nn.relu(x @ up) @ down


def _quantized(x):
    """Rows of int8, and a scale for each."""
    scale = jnp.abs(x).max(axis=-1, keepdims=True) / 127
    return jnp.round(x / scale).astype(jnp.int8), scale


def _multiply_quantized(x, weights, weight_scales):
    rows, scale = _quantized(x)
    return multiply_int8(rows, weights).astype(jnp.float32) * scale * weight_scales


def mlp_int8(up, up_scales, down, down_scales, x):
    """Weights are int8 with a scale for each column; rows of activations are quantized on the way."""
    return _multiply_quantized(jax.nn.relu(_multiply_quantized(x, up, up_scales)), down, down_scales)


def _int8(*shape, seed):
    return uniform(*shape, seed=seed, low=-127.0, high=127.0, dtype="int8")


WORKLOADS = [
    Workload("matmul_int8_1024", multiply_int8, (_int8(SIZE, SIZE, seed=0), _int8(SIZE, SIZE, seed=1)), tolerance=0),
    Workload("matmul_bf16_1024", jnp.matmul,
             (uniform(SIZE, SIZE, dtype="bfloat16"), uniform(SIZE, SIZE, dtype="bfloat16", seed=1)), tolerance=1e-2),
    Workload("mlp_bf16_batch_128", mlp_bfloat16,
             (uniform(WIDTH, HIDDEN, seed=1, low=-0.05, high=0.05, dtype="bfloat16"),
              uniform(HIDDEN, WIDTH, seed=2, low=-0.03, high=0.03, dtype="bfloat16"),
              uniform(BATCH, WIDTH, dtype="bfloat16")), tolerance=2e-2),
    # A value next to the middle between two integers may be rounded either way.
    Workload("mlp_int8_batch_128", mlp_int8,
             (_int8(WIDTH, HIDDEN, seed=1), uniform(HIDDEN, seed=3, low=3e-4, high=5e-4),
              _int8(HIDDEN, WIDTH, seed=2), uniform(WIDTH, seed=4, low=2e-4, high=3e-4), uniform(BATCH, WIDTH)),
             tolerance=2e-2),
]
