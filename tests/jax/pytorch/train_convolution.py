"""Trains a small convolution network of torch.nn, and writes its losses, logits and parameters.

    train_convolution.py torch|torchax OUTPUT

With `torch` it is PyTorch alone, on the CPU. With `torchax` the same module runs through torchax on whatever platform
JAX has: the step is jitted, and the logits come from calls of one operation each.
"""

import sys

import numpy as np
import torch
from torch import nn
from torch.nn.functional import cross_entropy

STEPS, BATCH, CLASSES, SIZE = 12, 16, 4, 16
RATE, MOMENTUM = 0.05, 0.9


def make_network():
    torch.manual_seed(1)
    return nn.Sequential(
        nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(8, 16, 3, stride=2, padding=1, groups=2), nn.BatchNorm2d(16), nn.ReLU(), nn.AvgPool2d(2),
        nn.Flatten(), nn.Linear(16 * (SIZE // 8)**2, CLASSES))


def make_batches():
    """Images of one pattern for each class, under as much noise."""
    generator = np.random.default_rng(2)
    patterns = generator.standard_normal((CLASSES, 3, SIZE, SIZE))
    for _ in range(STEPS):
        labels = generator.integers(0, CLASSES, BATCH)
        images = patterns[labels] + generator.standard_normal((BATCH, 3, SIZE, SIZE))
        yield torch.from_numpy(images.astype(np.float32)), torch.from_numpy(labels)


def train_with_torch(network):
    optimizer = torch.optim.SGD(network.parameters(), lr=RATE, momentum=MOMENTUM)
    losses = []
    for images, labels in make_batches():
        optimizer.zero_grad()
        loss = cross_entropy(network(images), labels)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    images, _ = next(make_batches())
    return {"losses": np.float32(losses), "logits": network(images).detach().numpy(),
            **{name: value.detach().numpy() for name, value in network.named_parameters()}}


def train_with_torchax(network):
    import jax
    import optax
    import torchax
    from torchax import interop

    torchax.enable_globally()
    network = network.to("jax")
    parameters, buffers = dict(network.named_parameters()), dict(network.named_buffers())

    def loss_of(parameters, buffers, images, labels):
        return cross_entropy(torch.func.functional_call(network, {**parameters, **buffers}, (images,)), labels)

    optimizer = optax.sgd(RATE, momentum=MOMENTUM)
    loss_and_gradients = interop.jax_value_and_grad(loss_of)

    def step(parameters, buffers, state, images, labels):
        loss, gradients = loss_and_gradients(parameters, buffers, images, labels)
        updates, state = interop.call_jax(optimizer.update, gradients, state)
        return loss, interop.call_jax(optax.apply_updates, parameters, updates), state

    step = interop.jax_jit(step, kwargs_for_jax_jit={"donate_argnums": (0, 2)})
    state, losses = interop.call_jax(optimizer.init, parameters), []
    for images, labels in make_batches():
        loss, parameters, state = step(parameters, buffers, state, images.to("jax"), labels.to("jax"))
        losses.append(loss.item())
    images, _ = next(make_batches())
    logits = torch.func.functional_call(network, {**parameters, **buffers}, (images.to("jax"),))
    print(f"torch {torch.__version__}, torchax {torchax.__version__}, JAX {jax.__version__}, {logits.jax().device}")
    return {"losses": np.float32(losses), "logits": logits.numpy(),
            **{name: value.numpy() for name, value in parameters.items()}}


if __name__ == "__main__":
    train = {"torch": train_with_torch, "torchax": train_with_torchax}[sys.argv[1]]
    np.savez(sys.argv[2], **train(make_network()))
