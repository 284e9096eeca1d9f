"""Trains a small residual network of Flax linen, with batch norm and dropout, and evaluates it."""

import functools
import sys
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import linen as nn
from flax.training import train_state


class Block(nn.Module):
    features: int

    @nn.compact
    def __call__(self, x, train):
        y = nn.relu(nn.BatchNorm(use_running_average=not train, momentum=0.9)(nn.Conv(self.features, (3, 3))(x)))
        y = nn.BatchNorm(use_running_average=not train, momentum=0.9)(nn.Conv(self.features, (3, 3))(y))
        return nn.relu(x + y)


class Network(nn.Module):
    @nn.compact
    def __call__(self, images, train):
        x = nn.Conv(8, (3, 3))(images)
        x = nn.avg_pool(Block(8)(x, train), (2, 2), strides=(2, 2))
        x = nn.Dropout(0.3, deterministic=not train)(x)
        x = nn.max_pool(Block(8)(x, train), (2, 2), strides=(2, 2))
        return nn.Dense(10)(nn.GroupNorm(num_groups=2)(x).mean((1, 2)))


class State(train_state.TrainState):
    statistics: Any


@jax.jit
def train_step(state, images, labels, key):
    def loss_of(parameters):
        logits, updates = state.apply_fn({"params": parameters, "batch_stats": state.statistics}, images, train=True,
                                         mutable=["batch_stats"], rngs={"dropout": key})
        return optax.softmax_cross_entropy_with_integer_labels(logits, labels).mean(), updates["batch_stats"]

    (loss, statistics), gradients = jax.value_and_grad(loss_of, has_aux=True)(state.params)
    return state.apply_gradients(grads=gradients, statistics=statistics), loss


@functools.partial(jax.jit, static_argnames="network")
def evaluate(network, state, images):
    return network.apply({"params": state.params, "batch_stats": state.statistics}, images, train=False)


def main():
    network, key = Network(), jax.random.key(1)
    images = jax.random.normal(jax.random.fold_in(key, 0), (15, 8, 16, 16, 3))
    labels = jax.random.randint(jax.random.fold_in(key, 1), (15, 8), 0, 10)
    variables = network.init(key, images[0], train=False)
    state = State.create(apply_fn=network.apply, params=variables["params"], statistics=variables["batch_stats"],
                         tx=optax.sgd(0.05, momentum=0.9))
    losses = []
    for step, (x, y) in enumerate(zip(images, labels)):
        state, loss = train_step(state, x, y, jax.random.fold_in(key, 100 + step))
        losses.append(loss)
    np.savez(sys.argv[1], losses=jnp.stack(losses), logits=evaluate(network, state, images[0]),
             mean=state.statistics["Block_0"]["BatchNorm_0"]["mean"], step=state.step)


if __name__ == "__main__":
    main()
