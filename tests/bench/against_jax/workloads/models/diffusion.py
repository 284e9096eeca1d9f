"""A denoising step of a diffusion model: a small UNet says what is noise, and a part of that is taken away."""

import jax
import jax.numpy as jnp

from ...operands import filled, uniform
from ...workload import Workload
from .convolution import convolve, kernel
from .language_models import attend, weights

BATCH, SIZE, CHANNELS, GROUPS, TIME_WIDTH = 4, 32, (32, 64, 128), 8, 128


def _norm(channels):
    return filled(channels, value=1.0), filled(channels, value=0.0)


def _block(inputs, outputs, seed):
    block = {"norm_1": _norm(inputs), "first": kernel(3, inputs, outputs, seed),
             "time": weights(TIME_WIDTH, outputs, seed + 1), "norm_2": _norm(outputs),
             "second": kernel(3, outputs, outputs, seed + 2)}
    if inputs != outputs:
        block["shortcut"] = kernel(1, inputs, outputs, seed + 3)
    return block


def _parameters():
    low, middle, high = CHANNELS
    return {
        "time": (weights(TIME_WIDTH, TIME_WIDTH, 1), weights(TIME_WIDTH, TIME_WIDTH, 2)),
        "stem": kernel(3, 3, low, 3),
        "down": [_block(low, low, 10), _block(low, middle, 20), _block(middle, high, 30)],
        "attention": {"attention": weights(high, 3 * high, 40), "projection": weights(high, high, 41)},
        "middle": _block(high, high, 50),
        "up": [_block(2 * high, middle, 60), _block(2 * middle, low, 70), _block(2 * low, low, 80)],
        "norm": _norm(low),
        "head": kernel(3, low, 3, 90),
    }


def group_norm(x, scale, bias):
    groups = x.reshape(*x.shape[:3], GROUPS, -1)
    mean = groups.mean(axis=(1, 2, 4), keepdims=True)
    variance = jnp.square(groups - mean).mean(axis=(1, 2, 4), keepdims=True)
    return ((groups - mean) * jax.lax.rsqrt(variance + 1e-5)).reshape(x.shape) * scale + bias


def _residual(x, time, block):
    y = convolve(jax.nn.silu(group_norm(x, *block["norm_1"])), block["first"])
    y = y + (time @ block["time"])[:, None, None]
    y = convolve(jax.nn.silu(group_norm(y, *block["norm_2"])), block["second"])
    return y + (convolve(x, block["shortcut"]) if "shortcut" in block else x)


def noise(parameters, x, time):
    """The network; `time` is a number for each image."""
    angles = time[:, None] * jnp.exp(-jnp.linspace(0.0, 9.0, TIME_WIDTH // 2))
    first, second = parameters["time"]
    embedded = jax.nn.silu(jax.nn.silu(jnp.concatenate((jnp.sin(angles), jnp.cos(angles)), -1) @ first) @ second)
    x = convolve(x, parameters["stem"])
    skipped = []
    for i, block in enumerate(parameters["down"]):
        x = _residual(x, embedded, block)
        skipped.append(x)
        if i < 2:
            x = jax.lax.reduce_window(x, 0.0, jax.lax.add, (1, 2, 2, 1), (1, 2, 2, 1), "VALID") / 4
    tokens = x.reshape(BATCH, -1, x.shape[-1])
    x = x + attend(tokens, parameters["attention"], is_causal=False).reshape(x.shape)
    x = _residual(x, embedded, parameters["middle"])
    for i, block in enumerate(parameters["up"]):
        if i > 0:
            x = jnp.repeat(jnp.repeat(x, 2, 1), 2, 2)
        x = _residual(jnp.concatenate((x, skipped.pop()), -1), embedded, block)
    return convolve(jax.nn.silu(group_norm(x, *parameters["norm"])), parameters["head"])


def denoise(parameters, x, time, share, fresh):
    return (x - share * noise(parameters, x, time)) / jnp.sqrt(1 - share) + 0.1 * fresh


WORKLOADS = [
    Workload("unet_denoising_step", denoise,
             (_parameters(), uniform(BATCH, SIZE, SIZE, 3, low=-2.0, high=2.0), filled(BATCH, value=500.0),
              filled(value=0.01), uniform(BATCH, SIZE, SIZE, 3, seed=1)), tolerance=1e-4),
]
