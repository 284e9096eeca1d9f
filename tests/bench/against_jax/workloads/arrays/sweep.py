"""The same two programs over the sizes: where calls, caches, memory and arithmetic take turns as what bounds them."""

import jax.numpy as jnp

from ...operands import uniform
from ...workload import Workload
from .elementwise import selu

WORKLOADS = [
    *(Workload(f"sweep_selu_1e{digits}", selu, (uniform(10**digits),)) for digits in range(2, 9)),
    *(Workload(f"sweep_matmul_{size}", jnp.matmul, (uniform(size, size), uniform(size, size, seed=1)), slow=size > 2048)
      for size in (64, 128, 256, 512, 1024, 2048, 4096)),
]
