"""A training step of ResNet-50 with batch normalization, on 8 images of 64x64."""

import jax
import jax.numpy as jnp
from jax import lax

from row import Numbers, Row

n = Numbers(21)
STAGES = ((3, 64), (4, 128), (6, 256), (3, 512))


def convolve(x, kernel, stride=1):
    return lax.conv_general_dilated(x, kernel, (stride, stride), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))


def normalize(x, scale, bias):
    mean = x.mean((0, 1, 2))
    variance = (x * x).mean((0, 1, 2)) - mean * mean
    return (x - mean) * lax.rsqrt(variance + 1e-5) * scale + bias


def block(x, parameters, stride):
    y = x
    for i, (kernel, *norm) in enumerate(parameters["layers"]):
        y = normalize(convolve(y, kernel, stride if i == 1 else 1), *norm)
        if i < 2:
            y = jax.nn.relu(y)
    if "shortcut" in parameters:
        kernel, *norm = parameters["shortcut"]
        x = normalize(convolve(x, kernel, stride), *norm)
    return jax.nn.relu(x + y)


def loss(parameters, images, labels):
    kernel, *norm = parameters["stem"]
    x = jax.nn.relu(normalize(convolve(images, kernel, 2), *norm))
    x = lax.reduce_window(x, -jnp.inf, lax.max, (1, 3, 3, 1), (1, 2, 2, 1), "SAME")
    for stage, blocks in enumerate(parameters["stages"]):
        for i, own in enumerate(blocks):
            x = block(x, own, 2 if stage > 0 and i == 0 else 1)
    weights, biases = parameters["head"]
    logits = x.mean((1, 2)) @ weights + biases
    return -jnp.take_along_axis(jax.nn.log_softmax(logits), labels[:, None], axis=1).mean()


def layer(size, inputs, outputs, scale=1.0):
    return (n.normal(size, size, inputs, outputs, scale=(2 / (size * size * inputs)) ** 0.5),
            n.uniform(outputs, low=0.8 * scale, high=1.2 * scale), n.normal(outputs, scale=0.1))


def make_parameters():
    parameters = {"stem": layer(7, 3, 64), "stages": [], "head": (n.normal(2048, 1000, scale=0.02), n.normal(1000, scale=0.1))}
    inputs = 64
    for count, width in STAGES:
        blocks = []
        for i in range(count):
            # Blocks begin near the identity: else errors of the first layers grow a thousandfold on their way.
            own = {"layers": [layer(1, inputs, width), layer(3, width, width), layer(1, width, 4 * width, scale=0.2)]}
            if i == 0:
                own["shortcut"] = layer(1, inputs, 4 * width)
            inputs = 4 * width
            blocks.append(own)
        parameters["stages"].append(blocks)
    return parameters


ROW = Row("ResNet-50 step: loss and 161 gradients", jax.value_and_grad(loss),
          (make_parameters(), n.normal(8, 64, 64, 3), n.integers(8, below=1000)), is_model=True)
