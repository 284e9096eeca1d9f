"""Computes in double precision: derivatives, sums, special functions, 64-bit integers, and both widths at once."""

import sys

import jax
import jax.numpy as jnp
import numpy as np

jax.config.update("jax_enable_x64", True)


@jax.jit
def special(x):
    return jnp.stack([jax.scipy.special.gammaln(x), jax.scipy.special.digamma(x), jax.scipy.special.erf(x),
                      jax.scipy.special.erfinv(x / 10), jax.scipy.special.betainc(x, 2.0, 0.3),
                      jax.scipy.special.i0e(x), jnp.expm1(x), jnp.log1p(x), jnp.arctan2(x, 2.0), jnp.cbrt(x)])


def rosenbrock(x):
    return jnp.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


def main():
    x = jnp.linspace(0.1, 5.0, 40)
    point = jnp.array([0.5, 0.8, 1.1, 0.9])

    @jax.jit
    def newton(_, point):
        return point - jnp.linalg.solve(jax.hessian(rosenbrock)(point), jax.grad(rosenbrock)(point))

    with jax.enable_x64(False):
        narrow = jnp.linspace(0.1, 5.0, 40).sum()
    np.savez(sys.argv[1], special=special(x), hessian=jax.hessian(rosenbrock)(point),
             minimum=jax.lax.fori_loop(0, 12, newton, point), harmonic=(1 / jnp.arange(1, 100_001)).sum(),
             large=jnp.int64(2**62) + jnp.arange(3), bits=jax.lax.bitcast_convert_type(jnp.arange(5.0) / 8, jnp.uint64),
             inverse=jnp.linalg.inv(jnp.vander(x[::10])), narrow=narrow,
             normal=jax.random.normal(jax.random.key(0), (20,)), product=jnp.float64(1) * jnp.ones(3, jnp.float32),
             wide_of_narrow=jnp.float32(0.1).astype(jnp.float64),
             quotient=jnp.arange(-7, 7) // 3, remainder=jnp.arange(-7, 7) % 3,
             key_data=jax.random.key_data(jax.random.split(jax.random.key(2**40 + 1), 3)))


if __name__ == "__main__":
    main()
