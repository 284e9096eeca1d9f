"""Physics in loops: bodies that attract each other, and stencils."""

import jax
import jax.numpy as jnp

from ...operands import uniform
from ...workload import Workload

BODIES, STEPS = 1024, 10


def n_body(positions, velocities, masses):
    def step(_, state):
        positions, velocities = state
        between = positions[None] - positions[:, None]
        inverse = jax.lax.rsqrt(jnp.square(between).sum(axis=-1) + 1e-2)
        forces = (between * (masses * inverse**3)[..., None]).sum(axis=1)
        velocities = velocities + 1e-3 * forces
        return positions + 1e-3 * velocities, velocities

    return jax.lax.fori_loop(0, STEPS, step, (positions, velocities))


def jacobi(x, source):
    """A thousand steps of Jacobi's method for Poisson's equation; the boundary stays."""
    def step(_, x):
        inner = 0.25 * (x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:] - source[1:-1, 1:-1])
        return x.at[1:-1, 1:-1].set(inner)

    return jax.lax.fori_loop(0, 1000, step, x)


def heat(x):
    """A thousand explicit steps of the heat equation on a ring."""
    return jax.lax.fori_loop(0, 1000, lambda _, x: x + 0.2 * (jnp.roll(x, 1) - 2 * x + jnp.roll(x, -1)), x)


WORKLOADS = [
    Workload("n_body_1024_10_steps", n_body,
             (uniform(BODIES, 3), uniform(BODIES, 3, seed=1), uniform(BODIES, seed=2, low=0.1)), tolerance=1e-4),
    Workload("jacobi_256x256_1000_steps", jacobi, (uniform(256, 256), uniform(256, 256, seed=1)), tolerance=1e-4),
    Workload("heat_ring_16384_1000_steps", heat, (uniform(16_384),), tolerance=1e-4),
]
