"""Random numbers: threefry normals, and walks that draw them step by step."""

import jax

from ...operands import random_key
from ...workload import Workload


def gaussian_walk(walkers, steps):
    """The final places of walkers that take normal steps, each with a key of its own."""

    def walk(key):
        def step(places, step_key):
            return places + jax.random.normal(step_key, (walkers,)), None

        keys = jax.random.split(key, steps)
        return jax.lax.scan(step, jax.numpy.zeros(walkers), keys)[0]

    return walk


def normals(key):
    return jax.random.normal(key, (10_000_000,))


WORKLOADS = [
    Workload("normals_10m", normals, (random_key(),)),
    Workload("gaussian_walk_1000_steps_of_1000", gaussian_walk(1_000, 1_000), (random_key(1),), tolerance=1e-4),
    Workload("gaussian_walk_10_steps_of_100000", gaussian_walk(100_000, 10), (random_key(2),), tolerance=1e-4),
    Workload("gaussian_walk_10000_steps_of_1000", gaussian_walk(1_000, 10_000), (random_key(3),), tolerance=1e-4,
             device="cuda"),
]
