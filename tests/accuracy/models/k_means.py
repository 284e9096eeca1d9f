"""Ten steps of k-means on 20,000 points around 16 centres that lie far apart, so that no point is in doubt."""

import jax
import jax.numpy as jnp
import numpy as np

from row import Numbers, Row

n = Numbers(25)
POINTS, CENTRES, WIDTH = 20_000, 16, 24


def k_means(points, centres):
    def step(_, centres):
        distances = jnp.square(centres).sum(1) - 2 * points @ centres.T
        nearest = distances.argmin(1)
        sums = jax.ops.segment_sum(points, nearest, CENTRES)
        counts = jax.ops.segment_sum(jnp.ones(POINTS, points.dtype), nearest, CENTRES)
        return sums / jnp.maximum(counts, 1)[:, None]

    centres = jax.lax.fori_loop(0, 10, step, centres)
    distances = jnp.square(points[:, None] - centres[None]).sum(-1)
    return centres, distances.min(1), distances.min(1).mean()


TRUE_CENTRES = n.normal(CENTRES, WIDTH, scale=10)
ROW = Row("k-means: centres and distances after 10 steps", k_means,
          (TRUE_CENTRES[np.arange(POINTS) % CENTRES] + n.normal(POINTS, WIDTH), TRUE_CENTRES + n.normal(CENTRES, WIDTH)),
          is_model=True)
