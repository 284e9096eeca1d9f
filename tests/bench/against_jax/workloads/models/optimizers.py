"""Updates of parameters, for the training steps: each takes a state and a gradient, and gives the next state."""

import jax
import jax.numpy as jnp

from ...operands import filled, uniform


def sgd(state, gradient, rate=0.01):
    (parameters,) = state
    return (jax.tree.map(lambda p, g: p - rate * g, parameters, gradient),)


def adam(state, gradient, rate=1e-3, decay=0.9, square_decay=0.999, epsilon=1e-8):
    parameters, means, squares, count = state
    count = count + 1
    means = jax.tree.map(lambda m, g: decay * m + (1 - decay) * g, means, gradient)
    squares = jax.tree.map(lambda s, g: square_decay * s + (1 - square_decay) * g * g, squares, gradient)
    mean_scale, square_scale = 1 / (1 - decay**count), 1 / (1 - square_decay**count)
    parameters = jax.tree.map(
        lambda p, m, s: p - rate * m * mean_scale / (jnp.sqrt(s * square_scale) + epsilon), parameters, means, squares)
    return parameters, means, squares, count


def adam_state(parameters):
    """Operands in the midst of training: a step from zero would divide rounding errors by each other."""
    def like(low, high):
        return jax.tree.map(lambda p: uniform(*p.shape, seed=p.seed + 1000, low=low, high=high), parameters)

    return parameters, like(-1e-3, 1e-3), like(1e-6, 1e-4), filled(value=100.0)
