"""Matrix products, which arithmetic bounds when they are large."""

import jax.numpy as jnp

from ...operands import uniform
from ...workload import Workload


def gram(x):
    return x @ x.T


WORKLOADS = [
    Workload("x_xt_256", gram, (uniform(256, 256),)),
    Workload("x_xt_1000", gram, (uniform(1000, 1000),)),
    Workload("x_xt_2048", gram, (uniform(2048, 2048),)),
    Workload("x_xt_5000", gram, (uniform(5000, 5000),), slow=True),
    Workload("batched_matmul_512x64x64x64", jnp.matmul, (uniform(512, 64, 64), uniform(512, 64, 64, seed=1))),
    Workload("batched_matmul_10000x8x8x8", jnp.matmul, (uniform(10_000, 8, 8), uniform(10_000, 8, 8, seed=1))),
    Workload("matmul_8192_bf16", jnp.matmul,
             (uniform(8192, 8192, dtype="bfloat16"), uniform(8192, 8192, dtype="bfloat16", seed=1)),
             tolerance=1e-2, device="cuda"),
]
