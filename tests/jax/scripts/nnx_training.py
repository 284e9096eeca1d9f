"""Trains a small convolutional network of Flax nnx, with batch norm and dropout, and evaluates it."""

import sys

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import nnx


class Network(nnx.Module):
    def __init__(self, rngs):
        self.convolution = nnx.Conv(1, 8, (3, 3), strides=2, use_bias=False, rngs=rngs)
        self.norm = nnx.BatchNorm(8, rngs=rngs)
        self.dropout = nnx.Dropout(0.2, rngs=rngs)
        self.dense = nnx.Linear(8 * 6 * 6, 10, rngs=rngs)

    def __call__(self, images):
        x = nnx.relu(self.norm(self.convolution(images)))
        return self.dense(self.dropout(x.reshape(x.shape[0], -1)))


def cross_entropy(model, images, labels):
    return optax.softmax_cross_entropy_with_integer_labels(model(images), labels).mean()


@nnx.jit
def train_step(model, optimizer, images, labels):
    loss, gradients = nnx.value_and_grad(cross_entropy)(model, images, labels)
    optimizer.update(model, gradients)
    return loss


@nnx.jit
def evaluate(model, images):
    return model(images)


def main():
    generator = np.random.default_rng(0)
    images = generator.normal(size=(20, 16, 12, 12, 1)).astype(np.float32)
    labels = generator.integers(10, size=(20, 16))
    model = Network(nnx.Rngs(0))
    optimizer = nnx.Optimizer(model, optax.adam(1e-3), wrt=nnx.Param)
    model.train()
    losses = [train_step(model, optimizer, jnp.asarray(x), jnp.asarray(y)) for x, y in zip(images, labels)]
    model.eval()
    state = {".".join(map(str, path)): value for path, value in nnx.to_flat_state(nnx.state(model, nnx.BatchStat))}
    np.savez(sys.argv[1], losses=np.asarray(losses), logits=evaluate(model, images[0]),
             **{name: np.asarray(value[...]) for name, value in state.items()},
             parameters=sum(x.size for x in jax.tree.leaves(nnx.state(model, nnx.Param))))


if __name__ == "__main__":
    main()
