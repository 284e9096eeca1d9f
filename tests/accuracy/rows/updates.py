"""Chains of products and sums of elements: polynomials, optimizers, recurrences, changes of coordinates.

XLA rounds a product once with the sum that takes it; what does not has up to twice its error here.
"""

import jax
import jax.numpy as jnp
from jax import lax, nn

from row import Numbers, Row

n = Numbers(12)
NORMAL = n.normal


def chebyshev(x):
    before, value = jnp.ones_like(x), x
    for _ in range(12):
        before, value = value, 2 * x * value - before
    return value


def adam(parameter, mean, square, gradient):
    for step in range(1, 4):
        mean = 0.9 * mean + 0.1 * gradient
        square = 0.999 * square + 0.001 * gradient * gradient
        scaled = mean / (1 - 0.9**step) / (jnp.sqrt(square / (1 - 0.999**step)) + 1e-8)
        parameter = parameter - 1e-3 * scaled
        gradient = 0.9 * gradient + 0.05 * parameter
    return parameter, mean, square


def momentum(parameter, velocity, gradient):
    for _ in range(10):
        velocity = 0.9 * velocity + gradient
        parameter = parameter - 0.01 * velocity
        gradient = gradient - 0.1 * parameter
    return parameter, velocity


def moving_average(x):
    def step(average, x):
        average = 0.95 * average + 0.05 * x
        return average, average
    return lax.scan(step, x[0], x)[1]


def linear_recurrence(factors, terms):
    def combine(left, right):
        return left[0] * right[0], left[1] * right[0] + right[1]
    return lax.associative_scan(combine, (factors, terms))[1]


def lorenz(y):
    """Twenty steps of the classical Runge-Kutta method."""
    def slope(y):
        return jnp.stack([10 * (y[1] - y[0]), y[0] * (28 - y[2]) - y[1], y[0] * y[1] - 8 / 3 * y[2]])

    def step(y, _):
        h = 0.01
        first = slope(y)
        second = slope(y + h / 2 * first)
        third = slope(y + h / 2 * second)
        return y + h / 6 * (first + 2 * second + 2 * third + slope(y + h * third)), None
    return lax.scan(step, y, None, length=20)[0]


def rotary_embedding(x, cosine, sine):
    a, b = jnp.split(x, 2, -1)
    return jnp.concatenate([a * cosine - b * sine, b * cosine + a * sine], -1)


def quaternion_product(a, b):
    w, x, y, z = a.T
    p, q, r, s = b.T
    return jnp.stack([w * p - x * q - y * r - z * s, w * q + x * p + y * s - z * r,
                      w * r - x * s + y * p + z * q, w * s + x * r - y * q + z * p], -1)


def gru(x, state, of_input, of_state):
    def step(state, x):
        update, reset, value = jnp.split(x @ of_input, 3, -1)
        of_update, of_reset, of_value = jnp.split(state @ of_state, 3, -1)
        update, reset = nn.sigmoid(update + of_update), nn.sigmoid(reset + of_reset)
        state = update * state + (1 - update) * jnp.tanh(value + reset * of_value)
        return state, state
    return lax.scan(step, state, x)[1]


def gradients_of_squares(function):
    return lambda *arguments: jax.grad(lambda *a: jnp.sum(function(*a) ** 2), range(len(arguments)))(*arguments)


GRU = NORMAL(20, 8, 16), NORMAL(8, 24), NORMAL(16, 72, scale=0.25), NORMAL(24, 72, scale=0.2)

ROWS = [
    Row("polynomial of degree 7", jnp.polyval, (NORMAL(8), n.uniform(3000, low=-1, high=1))),
    Row("Chebyshev polynomial of degree 13", chebyshev, (n.uniform(4000, low=-1, high=1),)),
    Row("3 steps of Adam", adam, (NORMAL(500), NORMAL(500), abs(NORMAL(500)), NORMAL(500))),
    Row("10 steps of momentum", momentum, (NORMAL(500), NORMAL(500), NORMAL(500))),
    Row("moving average of 200x30", moving_average, (NORMAL(200, 30),)),
    Row("linear recurrence of 512x8", linear_recurrence, (n.uniform(512, 8, low=0.5, high=0.99), NORMAL(512, 8))),
    Row("20 steps of Runge-Kutta", lorenz, (NORMAL(3, 200),)),
    Row("rotary embedding 4x16x64", rotary_embedding, (NORMAL(4, 16, 64), NORMAL(16, 32), NORMAL(16, 32))),
    Row("quaternion products", quaternion_product, (NORMAL(1000, 4), NORMAL(1000, 4))),
    Row("gated recurrent unit of 20 steps", gru, GRU),
    Row("gradients of a gated recurrent unit of 20 steps", gradients_of_squares(gru), GRU),
]
