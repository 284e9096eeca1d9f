"""A long scan of a small body: a selective state-space model, 4,096 steps of 64 channels with 16 states each."""

import jax
import jax.numpy as jnp

from ...operands import uniform
from ...workload import Workload

STEPS, CHANNELS, STATES = 4096, 64, 16


def state_space(decay, inputs, gates, readers, writers):
    def step(state, now):
        x, gate, reader, writer = now
        state = jnp.exp(gate[:, None] * decay) * state + (gate * x)[:, None] * writer
        return state, state @ reader

    return jax.lax.scan(step, jnp.zeros((CHANNELS, STATES)), (inputs, gates, readers, writers))[1]


WORKLOADS = [
    Workload("state_space_4096_steps", state_space,
             (uniform(CHANNELS, STATES, seed=1, low=-1.0, high=-0.1), uniform(STEPS, CHANNELS),
              uniform(STEPS, CHANNELS, seed=2, low=0.0), uniform(STEPS, STATES, seed=3),
              uniform(STEPS, STATES, seed=4)), tolerance=1e-4),
]
