"""Trains an Equinox network with a filtered jit, and differentiates through a stateful layer."""

import sys

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax


class Network(eqx.Module):
    layers: list
    norm: eqx.nn.LayerNorm
    scale: jax.Array
    name: str = eqx.field(static=True)

    def __init__(self, key):
        first, second = jax.random.split(key)
        self.layers = [eqx.nn.Linear(4, 16, key=first), eqx.nn.Linear(16, 3, key=second)]
        self.norm, self.scale, self.name = eqx.nn.LayerNorm(16), jnp.ones(3), "network"

    def __call__(self, x):
        return self.layers[1](self.norm(jax.nn.gelu(self.layers[0](x)))) * self.scale


@eqx.filter_value_and_grad
def loss_of(model, x, y):
    return jnp.mean((jax.vmap(model)(x) - y) ** 2)


def main():
    key = jax.random.key(3)
    model, optimizer = Network(key), optax.adam(1e-2)
    state = optimizer.init(eqx.filter(model, eqx.is_inexact_array))
    x = jax.random.normal(jax.random.fold_in(key, 1), (64, 4))
    y = jnp.stack([x.sum(1), x[:, 0] * x[:, 1], jnp.sin(x[:, 2])], axis=1)

    @eqx.filter_jit
    def step(model, state):
        loss, gradients = loss_of(model, x, y)
        updates, state = optimizer.update(gradients, state)
        return eqx.apply_updates(model, updates), state, loss

    losses = []
    for _ in range(25):
        model, state, loss = step(model, state)
        losses.append(loss)

    recurrent = eqx.nn.GRUCell(3, 5, key=key)
    hidden, _ = jax.lax.scan(lambda h, row: (recurrent(row, h), None), jnp.zeros(5), y[:20])
    gradient = eqx.filter_grad(lambda cell: cell(y[0], hidden).sum())(recurrent)
    np.savez(sys.argv[1], losses=jnp.stack(losses), outputs=jax.vmap(model)(x[:5]), hidden=hidden,
             gradient=gradient.weight_hh)


if __name__ == "__main__":
    main()
