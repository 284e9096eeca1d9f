"""Learns to balance a pole by policy gradients, in a Python loop of many small jitted functions."""

import sys

import jax
import jax.numpy as jnp
import numpy as np


@jax.jit
def move(state, action):
    """The cart and the pole a fiftieth of a second later."""
    x, x_dot, theta, theta_dot = state
    force = jnp.where(action == 1, 10.0, -10.0)
    common = (force + 0.05 * theta_dot**2 * jnp.sin(theta)) / 1.1
    acceleration = (9.8 * jnp.sin(theta) - jnp.cos(theta) * common) / (0.5 * (4 / 3 - 0.1 * jnp.cos(theta) ** 2 / 1.1))
    x_acceleration = common - 0.05 * acceleration * jnp.cos(theta) / 1.1
    return state + 0.02 * jnp.stack([x_dot, x_acceleration, theta_dot, acceleration])


@jax.jit
def has_fallen(state):
    return (jnp.abs(state[0]) > 2.4) | (jnp.abs(state[2]) > 0.2)


def logits_of(parameters, state):
    return jnp.tanh(state @ parameters["w0"]) @ parameters["w1"]


@jax.jit
def act(parameters, state, key):
    key, action_key = jax.random.split(key)
    return jax.random.categorical(action_key, logits_of(parameters, state)), key


@jax.jit
def discounted(rewards):
    def accumulate(total, reward):
        total = reward + 0.99 * total
        return total, total

    return jax.lax.scan(accumulate, 0.0, rewards, reverse=True)[1]


@jax.jit
def learn(parameters, states, actions, returns, mask):
    def objective(parameters):
        log_probabilities = jax.nn.log_softmax(logits_of(parameters, states))
        chosen = jnp.take_along_axis(log_probabilities, actions[:, None], 1)[:, 0]
        return -(chosen * (returns - 10.0) * mask).sum() / mask.sum()

    loss, gradients = jax.value_and_grad(objective)(parameters)
    return jax.tree.map(lambda p, g: p - 0.02 * g, parameters, gradients), loss


def main():
    key = jax.random.key(7)
    parameters = {"w0": 0.5 * jax.random.normal(key, (4, 8)), "w1": 0.5 * jax.random.normal(key, (8, 2))}
    lengths, losses, limit = [], [], 60
    for episode in range(8):
        state, states, actions = jnp.full((4,), 0.01 * episode), [], []
        while len(states) < limit and not has_fallen(state):
            action, key = act(parameters, state, key)
            states.append(np.asarray(state))
            actions.append(int(action))
            state = move(state, action)
        length = len(states)
        lengths.append(length)
        padding = limit - length
        mask = jnp.arange(limit) < length
        returns = discounted(mask.astype(jnp.float32))
        parameters, loss = learn(parameters, jnp.pad(jnp.asarray(states), ((0, padding), (0, 0))),
                                 jnp.pad(jnp.asarray(actions), (0, padding)), returns, mask)
        losses.append(loss.item())
    np.savez(sys.argv[1], lengths=lengths, losses=np.float32(losses), w0=parameters["w0"], w1=parameters["w1"])


if __name__ == "__main__":
    main()
