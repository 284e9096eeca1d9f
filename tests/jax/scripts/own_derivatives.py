"""Functions with derivatives of their own (custom_vjp, custom_jvp), implicit and higher ones, vmapped and in scans."""

import functools
import sys

import jax
import jax.numpy as jnp
import numpy as np


@jax.custom_vjp
def clip_gradient(x, bound):
    return x


clip_gradient.defvjp(lambda x, bound: (x, bound), lambda bound, g: (jnp.clip(g, -bound, bound), None))


@jax.custom_jvp
def log1pexp(x):
    return jnp.log(1.0 + jnp.exp(x))


@log1pexp.defjvp
def _(primals, tangents):
    (x,), (t,) = primals, tangents
    return log1pexp(x), (1 - 1 / (1 + jnp.exp(x))) * t


@functools.partial(jax.custom_vjp, nondiff_argnums=(0,))
def fixed_point(function, parameter, start):
    return jax.lax.while_loop(lambda c: jnp.abs(c[0] - c[1]) > 1e-6, lambda c: (c[1], function(parameter, c[1])),
                              (start, function(parameter, start)))[1]


def _forward(function, parameter, start):
    found = fixed_point(function, parameter, start)
    return found, (parameter, found)


def _backward(function, residuals, cotangent):
    parameter, found = residuals
    _, vjp = jax.vjp(function, parameter, found)
    adjoint = fixed_point(lambda packed, u: packed + vjp(u)[1], cotangent, cotangent)
    return vjp(adjoint)[0], jnp.zeros_like(found)


fixed_point.defvjp(_forward, _backward)


def root(a):
    return fixed_point(lambda a, x: 0.5 * (x + a / x), a, a)


def main():
    x = jnp.linspace(-3, 3, 13)
    rows = jax.random.normal(jax.random.key(0), (5, 3))
    results = {
        "clipped": jax.jit(jax.grad(lambda x: (clip_gradient(x, 0.5) ** 3).sum()))(x),
        "softplus": jax.vmap(jax.grad(jax.grad(log1pexp)))(x), "large": jax.grad(log1pexp)(100.0),
        "roots": jax.jit(root)(3.0), "root_gradient": jax.jit(jax.grad(root))(3.0),
        "jacobian": jax.jacfwd(lambda r: jnp.cumprod(r))(rows[0]), "reverse": jax.jacrev(jnp.cumsum)(rows[0]),
        "third": jax.jit(jax.grad(jax.grad(jax.grad(lambda x: jnp.exp(jnp.sin(x))))))(0.7),
        "scanned": jax.grad(lambda r: jax.lax.scan(lambda c, y: (log1pexp(c * y), c), 1.0, r[:, 0])[0])(rows),
        "hessian_vector": jax.jvp(jax.grad(lambda r: jnp.tanh(r @ r.T).sum()), (rows,), (jnp.ones_like(rows),))[1],
        "linearized": jax.linearize(lambda r: jax.nn.softmax(r, -1), rows)[1](rows),
        "solve": jax.grad(lambda b: jax.lax.custom_linear_solve(lambda v: 2.0 * v, b, lambda _, b: b / 2.0,
                                                                symmetric=True).sum())(x),
    }
    np.savez(sys.argv[1], **results)


if __name__ == "__main__":
    main()
