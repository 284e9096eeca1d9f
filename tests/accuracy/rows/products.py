"""Products of matrices of every layout."""

import jax
import jax.numpy as jnp
from jax import lax

from row import Numbers, Row

n = Numbers(4)
NORMAL, POSITIVE = n.normal, n.uniform


def of(equation):
    return lambda *x: jnp.einsum(equation, *x)


SIZES = {"m": 60, "k": 3000, "n": 50, "b": 6}


def operand(letters, make=NORMAL):
    return make(*[SIZES[letter] for letter in letters])


ROWS = [
    *[Row(f"product {a},{b}->{c}", of(f"{a},{b}->{c}"), (operand(a), operand(b)))
      for a, b, c in [("mk", "kn", "mn"), ("km", "kn", "mn"), ("mk", "nk", "mn"), ("km", "nk", "mn"), ("mk", "kn", "nm"),
                      ("bmk", "bkn", "bmn"), ("bkm", "bnk", "bmn"), ("mbk", "kbn", "bmn"), ("mbk", "nbk", "mbn"),
                      ("mk", "k", "m"), ("km", "k", "m"), ("bk", "bk", "b"), ("kb", "kb", "b")]],
    *[Row(f"product {m}x{k} by {k}x{n_}{', rhs transposed' * transposed}",
          of("mk,nk->mn" if transposed else "mk,kn->mn"), (NORMAL(m, k), NORMAL(*((n_, k) if transposed else (k, n_)))))
      for m, k, n_ in [(8, 128, 16), (64, 64, 16), (156, 210, 16), (100, 100, 10), (64, 256, 40), (300, 100, 1),
                       (700, 900, 1), (64, 300, 2), (1000, 32, 8), (4000, 256, 48)] for transposed in (False, True)],
    Row("product 16x320 by 320x128, lhs transposed", of("km,kn->mn"), (NORMAL(320, 16), NORMAL(320, 128))),
    Row("product mk,kn->mn, positive", of("mk,kn->mn"), (operand("mk", POSITIVE), operand("kn", POSITIVE))),
    Row("product 2000x2000", jnp.matmul, (NORMAL(2000, 2000), NORMAL(2000, 2000))),
    Row("product 8x100000 by 100000x8, positive", jnp.matmul, (POSITIVE(8, 100000), POSITIVE(100000, 8))),
    Row("product 1x20000 by 20000x300, positive", jnp.matmul, (POSITIVE(1, 20000), POSITIVE(20000, 300))),
    Row("product 300x20000 by a vector, positive", jnp.matmul, (POSITIVE(300, 20000), POSITIVE(20000))),
    Row("product 500x17 by 17x500", jnp.matmul, (NORMAL(500, 17), NORMAL(17, 500))),
    Row("product over two dimensions", of("iajb,akb->ijk"), (NORMAL(9, 70, 11, 60), NORMAL(70, 12, 60))),
    Row("dot of 64 vectors of 100000, positive", lambda x, y: jnp.sum(x * y, axis=1),
        (POSITIVE(64, 100000), POSITIVE(64, 100000))),
    Row("vmapped dot", jax.vmap(jnp.dot), (POSITIVE(64, 30000), POSITIVE(64, 30000))),
    Row("outer product", jnp.outer, (NORMAL(300), NORMAL(400))),
    Row("three matrices", lambda a, b, c: a @ b @ c, (NORMAL(80, 900), NORMAL(900, 700), NORMAL(700, 60))),
    Row("x x^T 300x4000", lambda x: x @ x.T, (NORMAL(300, 4000),)),
    Row("x^T x 4000x300", lambda x: x.T @ x, (NORMAL(4000, 300),)),
    Row("product bf16 into f32", lambda x, y: lax.dot(x, y, preferred_element_type=jnp.float32)
        if x.dtype == jnp.bfloat16 else x @ y, (NORMAL(60, 2000), NORMAL(2000, 60)), dtype="bfloat16"),
    Row("product bf16", jnp.matmul, (NORMAL(60, 2000), NORMAL(2000, 60)), dtype="bfloat16"),
    Row("product f16", jnp.matmul, (NORMAL(60, 2000, scale=0.3), NORMAL(2000, 60, scale=0.3)), dtype="float16"),
    Row("product complex", jnp.matmul, (n.complex(60, 2000), n.complex(2000, 60))),
    Row("product f64", jnp.matmul, (NORMAL(60, 2000), NORMAL(2000, 60)), dtype="float64",
        truth=lambda x, y: x.astype("longdouble") @ y.astype("longdouble")),
    Row("dense layer with bias and relu", lambda x, w, b: jax.nn.relu(x @ w + b),
        (NORMAL(128, 1000), NORMAL(1000, 256, scale=0.05), NORMAL(256))),
    Row("gradients of a dense layer", lambda x, w, b, d: jax.vjp(lambda *a: jax.nn.gelu(a[0] @ a[1] + a[2]), x, w, b)[1](d),
        (NORMAL(3000, 100), NORMAL(100, 80, scale=0.1), NORMAL(80), NORMAL(3000, 80))),
    Row("squared distances", lambda a, b: jnp.sum(jnp.square(a[:, None] - b[None]), axis=-1),
        (NORMAL(300, 500), NORMAL(40, 500))),
]
