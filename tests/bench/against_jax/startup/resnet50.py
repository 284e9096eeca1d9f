"""Trains ResNet-50 on images of 64 x 64 for as many steps as its argument says; prints as gpt.py does."""

import functools
import json
import sys
import time

import jax
import jax.numpy as jnp
import optax
from flax import linen as nn

IMPORTED = time.monotonic()
BATCH, SIZE, CLASSES = 4, 64, 100


class Bottleneck(nn.Module):
    features: int
    stride: int

    @nn.compact
    def __call__(self, x, train):
        norm = functools.partial(nn.BatchNorm, use_running_average=not train, momentum=0.9)
        convolution = functools.partial(nn.Conv, use_bias=False)
        y = nn.relu(norm()(convolution(self.features, (1, 1))(x)))
        y = nn.relu(norm()(convolution(self.features, (3, 3), strides=(self.stride, self.stride))(y)))
        y = norm(scale_init=nn.initializers.zeros)(convolution(4 * self.features, (1, 1))(y))
        if x.shape != y.shape:
            x = norm()(convolution(4 * self.features, (1, 1), strides=(self.stride, self.stride))(x))
        return nn.relu(x + y)


class ResNet50(nn.Module):
    @nn.compact
    def __call__(self, images, train):
        x = nn.Conv(64, (7, 7), strides=(2, 2), use_bias=False)(images)
        x = nn.relu(nn.BatchNorm(use_running_average=not train, momentum=0.9)(x))
        x = nn.max_pool(x, (3, 3), strides=(2, 2), padding="SAME")
        for stage, blocks in enumerate((3, 4, 6, 3)):
            for block in range(blocks):
                x = Bottleneck(64 * 2**stage, 2 if stage > 0 and block == 0 else 1)(x, train)
        return nn.Dense(CLASSES)(x.mean((1, 2)))


def main(steps):
    network, optimizer = ResNet50(), optax.sgd(0.1, momentum=0.9)

    @jax.jit
    def step(variables, state, images, labels):
        def loss_of(parameters):
            logits, updates = network.apply({**variables, "params": parameters}, images, train=True,
                                            mutable=["batch_stats"])
            return optax.softmax_cross_entropy_with_integer_labels(logits, labels).mean(), updates

        (loss, updates), gradients = jax.value_and_grad(loss_of, has_aux=True)(variables["params"])
        updated, state = optimizer.update(gradients, state)
        return {"params": optax.apply_updates(variables["params"], updated), **updates}, state, loss

    images = jax.random.normal(jax.random.key(1), (BATCH, SIZE, SIZE, 3))
    labels = jax.random.randint(jax.random.key(2), (BATCH,), 0, CLASSES)
    variables = jax.jit(functools.partial(network.init, train=False))(jax.random.key(0), images)
    state = jax.jit(optimizer.init)(variables["params"])
    times = []
    for _ in range(steps):
        variables, state, loss = step(variables, state, images, labels)
        loss = float(loss)
        times.append(time.monotonic())
    print(json.dumps({"imported": IMPORTED, "first_step": times[0], "last_step": times[-1], "loss": loss}))


if __name__ == "__main__":
    main(int(sys.argv[1]))
