"""Trains with donated state: what was donated is gone, its successor is right, and nothing else is touched."""

import functools
import sys

import jax
import jax.numpy as jnp
import numpy as np


@functools.partial(jax.jit, donate_argnums=0)
def step(state, x, y):
    def loss_of(weights):
        return jnp.mean((jnp.tanh(x @ weights) - y) ** 2)

    loss, gradient = jax.value_and_grad(loss_of)(state["weights"])
    momentum = 0.9 * state["momentum"] + gradient
    return {"weights": state["weights"] - 0.1 * momentum, "momentum": momentum, "count": state["count"] + 1}, loss


@functools.partial(jax.jit, donate_argnames=("cache",), keep_unused=True)
def append(cache, position, row):
    return jax.lax.dynamic_update_slice(cache, row[None], (position, 0))


def main():
    x = jax.random.normal(jax.random.key(0), (32, 6))
    y = jnp.sin(x @ jnp.ones((6, 3)))
    state = {"weights": jnp.full((6, 3), 0.1), "momentum": jnp.zeros((6, 3)), "count": jnp.int32(0)}
    first, losses = state, []
    for _ in range(40):
        state, loss = step(state, x, y)
        losses.append(loss)
    gone = [leaf.is_deleted() for leaf in jax.tree.leaves(first)]
    try:
        np.asarray(first["weights"])
        used = "the donated array could be read"
    except RuntimeError:
        used = "RuntimeError"
    cache = jnp.zeros((50, 4))
    pieces = []
    for i in range(50):
        if i % 10 == 0:
            pieces.append(cache[:i + 1] * 1)  # reads the cache that the next call consumes
        cache = append(cache, i, jnp.full((4,), i, jnp.float32))
    np.savez(sys.argv[1], losses=jnp.stack(losses), gone=gone, used=used, kept=[x.is_deleted(), y.is_deleted()],
             cache=cache, pieces=jnp.concatenate(pieces), **state)


if __name__ == "__main__":
    main()
