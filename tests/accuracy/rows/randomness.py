"""Random numbers: what is made of the bits, which are the same everywhere."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import random as jr

from row import Row

KEY = np.array([7, 11], np.uint32)
COUNT = 200_000


def of_key(draw):
    return lambda key: draw(jr.wrap_key_data(key))


def moments(draw):
    """Mean, variance, skewness and excess of 200,000 numbers, by columns of 20,000, as float32 makes the numbers."""
    def measure(key):
        x = draw(jr.wrap_key_data(key), (COUNT // 10, 10))
        mean = x.mean(0)
        centered = x - mean
        variance = jnp.square(centered).mean(0)
        scaled = centered / jnp.sqrt(variance)
        return mean, variance, (scaled ** 3).mean(0), (scaled ** 4).mean(0)
    return measure


def true_moments(draw):
    """Those of the same numbers."""
    def measure(key):
        x = np.asarray(jax.jit(of_key(lambda k: draw(k, (COUNT // 10, 10))))(key)).astype(np.float64)
        mean = x.mean(0)
        centered = x - mean
        variance = np.square(centered).mean(0)
        scaled = centered / np.sqrt(variance)
        return mean, variance, (scaled ** 3).mean(0), (scaled ** 4).mean(0)
    return measure


ROWS = [
    *[Row(f"moments of {name}", moments(draw), (KEY,), truth=true_moments(draw)) for name, draw in [
        ("uniform", jr.uniform), ("normal", jr.normal), ("exponential", jr.exponential), ("gumbel", jr.gumbel),
        ("logistic", jr.logistic), ("laplace", jr.laplace),
        ("truncated normal", lambda key, shape: jr.truncated_normal(key, -2, 2, shape)),
        ("gamma of 3", lambda key, shape: jr.gamma(key, 3.0, shape)),
        ("beta of 2, 3", lambda key, shape: jr.beta(key, 2.0, 3.0, shape))]],
]
