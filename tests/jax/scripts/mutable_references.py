"""Arrays that change in place: references inside and outside of compiled functions, in loops, and frozen."""

import sys

import jax
import jax.numpy as jnp
import numpy as np


@jax.jit
def accumulate(total, count, row):
    total[...] += row
    count[...] += 1
    return total[0]


@jax.jit
def inside(x):
    table = jax.new_ref(jnp.zeros(10))

    def body(i, _):
        table[i] = x * i
        return _

    jax.lax.fori_loop(0, 10, body, 0)
    return jax.freeze(table)


def main():
    total, count = jax.new_ref(jnp.zeros(4)), jax.new_ref(jnp.int32(0))
    firsts = [accumulate(total, count, jnp.arange(4.0) + i) for i in range(6)]
    history = jax.new_ref(jnp.zeros((5, 2)))

    @jax.jit
    def record(x):
        def body(carry, i):
            history[i] = carry
            return carry * 1.5 + i, None

        return jax.lax.scan(body, x, jnp.arange(5))[0]

    last = record(jnp.array([1.0, -1.0]))
    total[1] = 100.0
    np.savez(sys.argv[1], firsts=jnp.stack(firsts), total=total[...], count=count[...], inside=inside(2.0), last=last,
             history=jax.freeze(history), gradient=jax.grad(lambda x: inside(x).sum())(3.0))


if __name__ == "__main__":
    main()
