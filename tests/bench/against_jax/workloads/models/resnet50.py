"""A training step of ResNet-50 on images of 64 x 64 pixels."""

import jax
import jax.numpy as jnp

from ...operands import filled, integers, uniform
from ...workload import Workload, training_step
from .convolution import batch_norm, convolve, kernel
from .optimizers import sgd

BATCH, SIZE, CLASSES, BLOCKS = 4, 64, 100, (3, 4, 6, 3)


def _convolution(size, inputs, outputs, seed, scale=1.0):
    return {"kernel": kernel(size, inputs, outputs, seed),
            "norm": (filled(outputs, value=scale), filled(outputs, value=0.0))}


def _bottleneck(inputs, features, seed):
    """What it adds to its shortcut is small, as early in training: sixteen blocks of equal parts would multiply rounding
    errors."""
    block = {"narrow": _convolution(1, inputs, features, seed), "middle": _convolution(3, features, features, seed + 1),
             "wide": _convolution(1, features, 4 * features, seed + 2, scale=0.1)}
    if inputs != 4 * features:
        block["shortcut"] = _convolution(1, inputs, 4 * features, seed + 3)
    return block


def _parameters():
    stages, inputs = [], 64
    for stage, count in enumerate(BLOCKS):
        features = 64 * 2**stage
        stages.append([])
        for block in range(count):
            stages[-1].append(_bottleneck(inputs, features, 100 * stage + 10 * block + 1000))
            inputs = 4 * features
    return {"stem": _convolution(7, 3, 64, 1), "stages": stages,
            "head": uniform(inputs, CLASSES, seed=2, low=-0.04, high=0.04)}


def _convolve(x, layer, stride=1):
    return batch_norm(convolve(x, layer["kernel"], stride), *layer["norm"])


def _residual(x, block, stride):
    y = jax.nn.relu(_convolve(x, block["narrow"]))
    y = jax.nn.relu(_convolve(y, block["middle"], stride))
    y = _convolve(y, block["wide"])
    return jax.nn.relu(y + (_convolve(x, block["shortcut"], stride) if "shortcut" in block else x))


def loss(parameters, images, labels):
    x = jax.nn.relu(_convolve(images, parameters["stem"], 2))
    x = jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (1, 3, 3, 1), (1, 2, 2, 1), "SAME")
    for stage, blocks in enumerate(parameters["stages"]):
        for i, block in enumerate(blocks):
            x = _residual(x, block, 2 if stage > 0 and i == 0 else 1)
    log_probabilities = jax.nn.log_softmax(x.mean(axis=(1, 2)) @ parameters["head"])
    return -jnp.take_along_axis(log_probabilities, labels[:, None], axis=1).mean()


WORKLOADS = [
    Workload("resnet50_sgd_step_batch_4", training_step(loss, sgd),
             ((_parameters(),), uniform(BATCH, SIZE, SIZE, 3), integers(BATCH, below=CLASSES, seed=1)), tolerance=1e-3),
]
