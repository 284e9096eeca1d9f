"""Draws from each distribution with each of JAX's generators."""

import sys

import jax
import jax.numpy as jnp
import numpy as np

SHAPE = (40,)
DISTRIBUTIONS = {
    "bits": lambda key: jax.random.bits(key, SHAPE), "bits8": lambda key: jax.random.bits(key, SHAPE, jnp.uint8),
    "uniform": lambda key: jax.random.uniform(key, SHAPE), "normal": lambda key: jax.random.normal(key, SHAPE),
    "normal16": lambda key: jax.random.normal(key, SHAPE, jnp.bfloat16).astype(jnp.float32),
    "complex": lambda key: jax.random.normal(key, SHAPE, jnp.complex64),
    "randint": lambda key: jax.random.randint(key, SHAPE, -5, 1000),
    "permutation": lambda key: jax.random.permutation(key, 50),
    "choice": lambda key: jax.random.choice(key, 30, (12,), replace=False, p=jnp.arange(30.0)),
    "bernoulli": lambda key: jax.random.bernoulli(key, 0.3, SHAPE),
    "categorical": lambda key: jax.random.categorical(key, jnp.arange(6.0), shape=SHAPE),
    "truncated": lambda key: jax.random.truncated_normal(key, -1.0, 2.0, SHAPE),
    "exponential": lambda key: jax.random.exponential(key, SHAPE), "gumbel": lambda key: jax.random.gumbel(key, SHAPE),
    "laplace": lambda key: jax.random.laplace(key, SHAPE), "cauchy": lambda key: jax.random.cauchy(key, SHAPE),
    "multivariate": lambda key: jax.random.multivariate_normal(key, jnp.zeros(3), jnp.eye(3) + 0.5, (8,)),
    "fold_in": lambda key: jax.random.bits(jax.random.fold_in(key, 12345), (4,)),
    "split": lambda key: jax.random.key_data(jax.random.split(key, 5)),
}
# These draw until they are content, so they are costly to compile; one generator is enough.
REJECTING = {
    "gamma": lambda key: jax.random.gamma(key, 2.5, SHAPE),
    "poisson": lambda key: jax.random.poisson(key, 4.0, SHAPE),
    "binomial": lambda key: jax.random.binomial(key, 20, 0.3, SHAPE),
    "orthogonal": lambda key: jax.random.orthogonal(key, 4),
}


def main():
    results = {}
    for implementation in ("threefry2x32", "rbg", "unsafe_rbg"):
        drawn = DISTRIBUTIONS | REJECTING if implementation == "threefry2x32" else DISTRIBUTIONS

        def draw(key, drawn=drawn):
            return {name: sample(key) for name, sample in drawn.items()}

        values = jax.jit(draw)(jax.random.key(42, impl=implementation))
        results |= {f"{implementation}_{name}": value for name, value in values.items()}
    jax.config.update("jax_threefry_partitionable", False)
    results["unpartitioned"] = jax.random.normal(jax.random.key(1), (33,))
    np.savez(sys.argv[1], **results)


if __name__ == "__main__":
    main()
