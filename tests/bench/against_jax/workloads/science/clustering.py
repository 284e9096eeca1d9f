"""One step of k-means: distances, the nearest centre of each point, new centres."""

import jax
import jax.numpy as jnp

from ...operands import uniform
from ...workload import Workload

POINTS, CENTRES, WIDTH = 100_000, 64, 32


def kmeans_step(points, centres):
    distances = jnp.square(centres).sum(axis=1) - 2 * points @ centres.T
    nearest = distances.argmin(axis=1)
    sums = jax.ops.segment_sum(points, nearest, CENTRES)
    counts = jax.ops.segment_sum(jnp.ones(POINTS), nearest, CENTRES)
    return sums / jnp.maximum(counts, 1)[:, None]


WORKLOADS = [
    # A point midway between two centres may go to either: rounding decides.
    Workload("kmeans_step_100000x32_64_centres", kmeans_step, (uniform(POINTS, WIDTH), uniform(CENTRES, WIDTH, seed=1)),
             tolerance=1e-2),
]
