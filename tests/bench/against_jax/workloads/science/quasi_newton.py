"""A loop of L-BFGS: Rosenbrock's function of 1,000 variables, ten pairs of memory, a line search that halves."""

import jax
import jax.numpy as jnp

from ...operands import uniform
from ...workload import Workload

VARIABLES, MEMORY, ITERATIONS = 1000, 10, 50


def rosenbrock(x):
    return (jnp.square(1 - x[:-1]) + 10 * jnp.square(x[1:] - x[:-1] ** 2)).mean()


def _direction(gradient, steps, changes, inverses):
    """The two loops of Nocedal; the newest pair is the last."""
    alphas, q = [], gradient
    for i in reversed(range(MEMORY)):
        alphas.append(inverses[i] * (steps[i] @ q))
        q = q - alphas[-1] * changes[i]
    curvature = changes[-1] @ changes[-1]
    q = q * jnp.where(curvature > 0, (steps[-1] @ changes[-1]) / jnp.where(curvature > 0, curvature, 1), 1)
    for i in range(MEMORY):
        q = q + (alphas[MEMORY - 1 - i] - inverses[i] * (changes[i] @ q)) * steps[i]
    return -q


def minimize(x):
    def iterate(_, state):
        x, value, gradient, steps, changes, inverses = state
        direction = _direction(gradient, steps, changes, inverses)
        slope = gradient @ direction

        def is_too_long(rate):
            return (rosenbrock(x + rate * direction) > value + 1e-4 * rate * slope) & (rate > 1e-4)

        rate = jax.lax.while_loop(is_too_long, lambda rate: 0.5 * rate, 1.0)
        moved = x + rate * direction
        next_value, next_gradient = jax.value_and_grad(rosenbrock)(moved)
        step, change = moved - x, next_gradient - gradient
        product = step @ change
        inverse = jnp.where(product > 1e-20, 1 / jnp.where(product > 1e-20, product, 1), 0)

        def push(memory, newest):
            return jnp.concatenate((memory[1:], newest[None]))

        return (moved, next_value, next_gradient, push(steps, step), push(changes, change), push(inverses, inverse))

    value, gradient = jax.value_and_grad(rosenbrock)(x)
    nothing = jnp.zeros((MEMORY, VARIABLES))
    state = (x, value, gradient, nothing, nothing, jnp.zeros(MEMORY))
    return jax.lax.fori_loop(0, ITERATIONS, iterate, state)[1]


WORKLOADS = [
    # Fifty steps of a badly conditioned search multiply rounding errors: both must have come as far down.
    Workload("lbfgs_1000_variables_50_iterations", minimize, (uniform(VARIABLES),), tolerance=0.1),
]
