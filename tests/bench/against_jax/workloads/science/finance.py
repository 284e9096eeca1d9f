"""Prices of options by the formula of Black and Scholes, and pi by throwing darts."""

import jax
import jax.numpy as jnp

from ...operands import random_key, uniform
from ...workload import Workload

OPTIONS, DARTS = 4_000_000, 10_000_000


def black_scholes(spot, strike, years, volatility):
    """Calls and puts, with an interest rate of 3 %."""
    rate = 0.03
    spread = volatility * jnp.sqrt(years)
    d1 = (jnp.log(spot / strike) + (rate + 0.5 * volatility**2) * years) / spread
    discounted = strike * jnp.exp(-rate * years)
    call = spot * jax.scipy.stats.norm.cdf(d1) - discounted * jax.scipy.stats.norm.cdf(d1 - spread)
    return call, call - spot + discounted


def monte_carlo_pi(key):
    x, y = jax.random.uniform(jax.random.wrap_key_data(key), (2, DARTS))
    return 4 * (x * x + y * y < 1).mean()


WORKLOADS = [
    Workload("black_scholes_4m", black_scholes,
             (uniform(OPTIONS, low=50.0, high=150.0), uniform(OPTIONS, seed=1, low=50.0, high=150.0),
              uniform(OPTIONS, seed=2, low=0.1, high=2.0), uniform(OPTIONS, seed=3, low=0.1, high=0.6)),
             tolerance=1e-5),
    Workload("monte_carlo_pi_10m", monte_carlo_pi, (random_key(),), tolerance=1e-5),
]
