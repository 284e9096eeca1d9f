"""A training step of a small residual network on images of 32 x 32 pixels."""

import jax
import jax.numpy as jnp

from ...operands import filled, integers, uniform
from ...workload import Workload, training_step
from .optimizers import sgd

BATCH, CLASSES, STAGES = 32, 10, (16, 32, 64)


def kernel(size, inputs, outputs, seed):
    bound = (6 / (size * size * inputs)) ** 0.5
    return uniform(size, size, inputs, outputs, seed=seed, low=-bound, high=bound)


def _norm(channels):
    return filled(channels, value=1.0), filled(channels, value=0.0)


def _block(inputs, outputs, seed):
    return {"first": kernel(3, inputs, outputs, seed), "first_norm": _norm(outputs),
            "second": kernel(3, outputs, outputs, seed + 1), "second_norm": _norm(outputs),
            "shortcut": kernel(1, inputs, outputs, seed + 2)}


PARAMETERS = {
    "stem": kernel(3, 3, STAGES[0], 10), "stem_norm": _norm(STAGES[0]),
    "blocks": [_block(inputs, outputs, 100 * i)
               for i, (inputs, outputs) in enumerate(zip((STAGES[0], *STAGES), STAGES), 1)],
    "head": uniform(STAGES[-1], CLASSES, seed=11, low=-0.2, high=0.2),
}


def convolve(x, kernel, stride=1):
    return jax.lax.conv_general_dilated(x, kernel, (stride, stride), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))


def batch_norm(x, scale, bias):
    mean = x.mean(axis=(0, 1, 2))
    variance = jnp.square(x - mean).mean(axis=(0, 1, 2))
    return (x - mean) * jax.lax.rsqrt(variance + 1e-5) * scale + bias


def residual(x, block, stride):
    y = jax.nn.relu(batch_norm(convolve(x, block["first"], stride), *block["first_norm"]))
    y = batch_norm(convolve(y, block["second"]), *block["second_norm"])
    return jax.nn.relu(y + convolve(x, block["shortcut"], stride))


def loss(parameters, images, labels):
    x = jax.nn.relu(batch_norm(convolve(images, parameters["stem"]), *parameters["stem_norm"]))
    for i, block in enumerate(parameters["blocks"]):
        x = residual(x, block, 1 if i == 0 else 2)
    log_probabilities = jax.nn.log_softmax(x.mean(axis=(1, 2)) @ parameters["head"])
    return -jnp.take_along_axis(log_probabilities, labels[:, None], axis=1).mean()


WORKLOADS = [
    Workload(f"resnet_sgd_step_batch_{BATCH}", training_step(loss, sgd),
             ((PARAMETERS,), uniform(BATCH, 32, 32, 3), integers(BATCH, below=CLASSES, seed=1)), tolerance=1e-3),
]
