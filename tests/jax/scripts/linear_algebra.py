"""Factorizes and solves: eigh, svd, qr, eig, schur, lu, cholesky and others, batched and differentiated.

Vectors are defined up to their sign, so they are multiplied back; what is exact is written as it is.
"""

import sys

import jax
import jax.numpy as jnp
import jax.scipy.linalg as jsl
import numpy as np


def symmetric(x):
    return x @ x.mT + jnp.eye(x.shape[-2])


@jax.jit
def factorized(x):
    s = symmetric(x)
    eigenvalues, vectors = jnp.linalg.eigh(s)
    u, singular, vt = jnp.linalg.svd(x, full_matrices=False)
    q, r = jnp.linalg.qr(x)
    lower = jnp.linalg.cholesky(s)
    sign, logarithm = jnp.linalg.slogdet(s)
    return {"eigenvalues": eigenvalues, "eigh": (vectors * eigenvalues[..., None, :]) @ vectors.mT,
            "singular": singular, "svd": (u * singular[..., None, :]) @ vt, "qr": q @ r, "r": jnp.abs(r),
            "cholesky": lower, "inverse": jnp.linalg.inv(s), "solved": jnp.linalg.solve(s, x),
            "determinant": sign * logarithm,
            "pseudoinverse": jnp.linalg.pinv(x), "norm": jnp.linalg.norm(x, axis=(-2, -1)),
            "triangular": jsl.solve_triangular(lower, x, lower=True)}


@jax.jit
def general(x):
    t, z = jsl.schur(x)
    p, lower, upper = jsl.lu(x)
    h, q = jsl.hessenberg(x, calc_q=True)
    return {"schur": z @ t @ z.T, "lu": p @ lower @ upper, "hessenberg": q @ h @ q.T, "exponential": jsl.expm(x),
            "root": jsl.sqrtm(symmetric(x)).real, "power": jnp.linalg.matrix_power(x, 3),
            "eigenvalues": jnp.sort_complex(jnp.linalg.eigvals(x)), "condition": jnp.linalg.cond(x),
            "sylvester": jsl.solve_sylvester(x, symmetric(x), x), "polar": jsl.polar(x)[1]}


def main():
    generator = np.random.default_rng(3)
    x = generator.normal(size=(2, 7, 5)).astype(np.float32)
    square = generator.normal(size=(6, 6)).astype(np.float32)
    results = factorized(jnp.asarray(x)) | {f"general_{name}": value for name, value in general(square).items()}
    values, vectors = jnp.linalg.eig(square)
    results["eig"] = jnp.abs(square @ vectors - vectors * values).max() < 1e-5
    results["least_squares"], _, results["rank"], _ = jnp.linalg.lstsq(x[0], x[0, :, 0])
    results["gradient"] = jax.grad(
        lambda a: jnp.linalg.eigvalsh(symmetric(a))[0] + jnp.linalg.slogdet(symmetric(a))[1])(square)
    results["svd_gradient"] = jax.grad(lambda a: jnp.linalg.svd(a, compute_uv=False)[:2].sum())(square)
    results["tridiagonal"] = jsl.eigh_tridiagonal(jnp.arange(6.0), jnp.ones(5), eigvals_only=True)
    results["banded"] = jax.lax.linalg.tridiagonal_solve(
        jnp.r_[0.0, jnp.ones(5)], jnp.full(6, 3.0), jnp.r_[jnp.ones(5), 0.0], jnp.ones((6, 1)))
    complex_square = square + 1j * square.T
    results["complex_eigh"] = jnp.linalg.eigvalsh(complex_square + complex_square.conj().T)
    results["complex_solve"] = jnp.linalg.solve(complex_square, square)
    np.savez(sys.argv[1], **results)


if __name__ == "__main__":
    main()
