"""Linear algebra. Signs and phases that a factorization leaves open are taken out."""

import jax
import jax.numpy as jnp
import jax.scipy.linalg as linalg
import numpy as np

from row import Numbers, Row

n = Numbers(9)
SPD, NORMAL = n.positive_definite, n.normal


def triangle(size):
    return np.tril(NORMAL(size, size) / np.float32(size ** 0.5)) + 2 * np.eye(size, dtype=np.float32)


def symmetric(size):
    a = NORMAL(size, size)
    return (a + a.T) / 2


def positive_diagonal(f):
    """Q and R of a QR whose R has a positive diagonal."""
    def with_signs(x):
        q, r = f(x)
        signs = jnp.sign(jnp.diagonal(r, axis1=-2, axis2=-1))
        return q * signs[..., None, :], r * signs[..., :, None]
    return with_signs


def largest_positive(vectors):
    """Each column with its largest entry positive."""
    largest = jnp.take_along_axis(vectors, jnp.argmax(jnp.abs(vectors), axis=-2, keepdims=True), axis=-2)
    return vectors * jnp.sign(largest)


def eigh(x):
    values, vectors = jnp.linalg.eigh(x)
    return values, largest_positive(vectors)


ROWS = [
    *[Row(f"cholesky of {size}", jnp.linalg.cholesky, (SPD(size),)) for size in (50, 200, 600)],
    Row("cholesky of 64 of 32", jnp.linalg.cholesky, (SPD(64, 32),)),
    Row("cholesky of 500, scaled", lambda x: jnp.linalg.cholesky(x * 100), (SPD(500),)),
    Row("gradient of cholesky of 60", jax.grad(lambda x: jnp.sum(jnp.sin(jnp.linalg.cholesky(x)))), (SPD(60),)),
    *[Row(f"lower triangular solve {size} for 20", lambda a, b: linalg.solve_triangular(a, b, lower=True),
          (triangle(size), NORMAL(size, 20))) for size in (40, 300)],
    Row("transposed triangular solve 200", lambda a, b: linalg.solve_triangular(a, b, trans=1, lower=True),
        (triangle(200), NORMAL(200, 20))),
    Row("triangular solve from the right", lambda a, b: jax.lax.linalg.triangular_solve(a, b, lower=True),
        (triangle(150), NORMAL(30, 150))),
    Row("lu of 200", lambda x: jax.lax.linalg.lu(x)[0], (NORMAL(200, 200),)),
    Row("lu of 300x100", lambda x: jax.lax.linalg.lu(x)[0], (NORMAL(300, 100),)),
    Row("solve 200 for 10", jnp.linalg.solve, (n.of_condition(200, 100), NORMAL(200, 10))),
    Row("solve 64 of 20", jnp.linalg.solve, (SPD(64, 20), NORMAL(64, 20, 3))),
    Row("solve positive definite", lambda a, b: linalg.cho_solve(linalg.cho_factor(a), b), (SPD(200), NORMAL(200, 10))),
    Row("inverse of 150", jnp.linalg.inv, (n.of_condition(150, 100),)),
    Row("determinants of 100 of 12", jnp.linalg.det, (SPD(100, 12),)),
    Row("log determinants of 50 of 40", lambda x: jnp.linalg.slogdet(x)[1], (SPD(50, 40),)),
    Row("qr of 200", positive_diagonal(jnp.linalg.qr), (NORMAL(200, 200) + 3 * np.eye(200, dtype=np.float32),)),
    Row("qr of 400x80", positive_diagonal(jnp.linalg.qr), (NORMAL(400, 80),)),
    Row("eigenvalues of 100", lambda x: jnp.linalg.eigvalsh(x), (symmetric(100),)),
    Row("eigenvectors of 60", eigh, (symmetric(60),)),
    Row("singular values of 120x80", lambda x: jnp.linalg.svd(x, compute_uv=False), (NORMAL(120, 80),)),
    Row("singular value decomposition put together", lambda x: (lambda u, s, v: (u * s) @ v)(
        *jnp.linalg.svd(x, full_matrices=False)), (NORMAL(100, 60),)),
    Row("pseudo-inverse of 60x40", jnp.linalg.pinv, (NORMAL(60, 40),)),
    Row("least squares 300x20", lambda a, b: jnp.linalg.lstsq(a, b)[0], (NORMAL(300, 20), NORMAL(300, 4))),
    Row("matrix exponential of 60", linalg.expm, (NORMAL(60, 60, scale=0.1),)),
    Row("matrix power 8", lambda x: jnp.linalg.matrix_power(x, 8), (NORMAL(60, 60, scale=0.15),)),
    Row("gradient of solve", jax.grad(lambda a, b: jnp.sum(jnp.sin(jnp.linalg.solve(a, b)))), (SPD(80), NORMAL(80, 5))),
    Row("mahalanobis distances", lambda l, x: jnp.sum(jnp.square(linalg.solve_triangular(l, x.T, lower=True)), axis=0),
        (triangle(60), NORMAL(500, 60))),
    Row("tridiagonal solve", lambda d, b: jax.lax.linalg.tridiagonal_solve(
        jnp.full_like(d, -1), d, jnp.full_like(d, -1), b), (n.uniform(500, low=2.5, high=4), NORMAL(500, 4))),
]
