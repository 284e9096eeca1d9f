"""The rest of JAX's libraries: what functions.py does not name. The same rows, a line each."""

import jax
import jax.experimental.ode
import jax.experimental.sparse
import jax.extend.random
import jax.numpy as jnp
import jax.scipy as jsp
import jax.scipy.cluster.vq
import jax.scipy.interpolate
import jax.scipy.optimize
import jax.scipy.sparse.linalg
import jax.scipy.spatial.transform
import numpy as np
from functions import B, C, F, H, I, KEY, N, P, SPD, U, g, key, loose
from jax import lax, nn
from jax import random as jr

hard = dict(rtol=1e-3, atol=1e-3)


def named(module, names, *arguments):
    """Functions of one module that take the same arguments. A dictionary at the end is their tolerance."""
    prefix = module.__name__.removeprefix("jax.").replace("numpy", "jnp").replace("scipy", "jsp")
    return [(f"{prefix}.{name}", getattr(module, name), *arguments) for name in names.split()]


JNP = [
    *named(jnp, "absolute acos asin atanh arcsin degrees rad2deg radians fabs modf frexp iscomplex isreal isneginf isposinf "
           "conjugate spacing matrix_transpose ravel flipud fliplr diagonal copy atleast_1d atleast_2d atleast_3d", U(3, 4)),
    *named(jnp, "acosh", 1 + P(4)),
    *named(jnp, "asinh atan sort_complex unwrap ediff1d diagflat", F(7)),
    *named(jnp, "amax amin nanmin nanargmax nanargmin nanmedian nanprod nanstd nanvar nancumsum nancumprod", F(4, 5)),
    *named(jnp, "cumulative_sum cumulative_prod", F(6)),
    ("jnp.nanpercentile", lambda x: jnp.nanpercentile(jnp.where(x > 1, jnp.nan, x), 40.0, axis=1), F(4, 9)),
    ("jnp.nanquantile", lambda x: jnp.nanquantile(jnp.where(x > 1, jnp.nan, x), 0.3), F(4, 9)),
    ("jnp nan functions of NaN", lambda x: [f(jnp.where(x > 0.5, jnp.nan, x), axis=1) for f in (
        jnp.nanmax, jnp.nanmin, jnp.nansum, jnp.nanmean, jnp.nanargmax, jnp.nancumsum)], F(4, 5)),
    ("jnp.around", lambda x: (jnp.around(x, 2), jnp.around(x * 100, -1), jnp.round(x)), F(9)),
    *named(jnp, "atan2 mod true_divide fmin pow isclose array_equal array_equiv less_equal logical_and logical_or logical_xor",
           P(3, 4), P(3, 4)),
    *named(jnp, "bitwise_count bitwise_invert invert packbits", I(3, 9, low=0, high=200, dtype=np.uint8)),
    ("jnp.unpackbits", lambda x: jnp.unpackbits(x, axis=1), I(3, 2, low=0, high=255, dtype=np.uint8)),
    *named(jnp, "bitwise_left_shift bitwise_right_shift", I(9), N(9)),
    *named(jnp, "vecdot", F(3, 5), F(3, 5)),
    *named(jnp, "matvec", F(3, 5), F(5)),
    *named(jnp, "vecmat", F(3), F(3, 5)),
    *named(jnp, "append", F(3), F(4)),
    ("jnp stacks", lambda x, y: (jnp.hstack([x, y]), jnp.vstack([x, y]), jnp.dstack([x, y]), jnp.column_stack([x, y]),
                                 jnp.concat([x, y]), jnp.block([[x, y], [y, x]])), F(3, 4), F(3, 4)),
    ("jnp splits", lambda x: (jnp.array_split(x, 3), jnp.hsplit(x, 2), jnp.vsplit(x, [1, 3]), jnp.unstack(x)), F(5, 4)),
    ("jnp.dsplit", lambda x: jnp.dsplit(x, 3), F(2, 2, 6)),
    ("jnp.argpartition partition", lambda x: (jnp.sort(jnp.partition(x, 3)[:3]), jnp.sort(x[jnp.argpartition(x, 3)[:3]])), F(12)),
    ("jnp.argwhere", lambda x: jnp.argwhere(x > 0, size=7), F(3, 5)),
    ("jnp.flatnonzero", lambda x: jnp.flatnonzero(x > 0, size=7), F(3, 5)),
    ("jnp.extract", lambda x: jnp.extract(x > 0, x, size=4, fill_value=0), F(3, 5)),
    ("jnp.compress", lambda x: jnp.compress(x[:, 0] > 0, x, axis=0, size=2, fill_value=0), F(3, 5)),
    ("jnp windows", lambda x: [x * f(9) for f in (jnp.bartlett, jnp.blackman, jnp.hamming, jnp.hanning)] + [x * jnp.kaiser(9, 3.5)],
     F(9), loose),
    ("jnp.choose", lambda i, x: jnp.choose(i, x, mode="clip"), I(5, low=0, high=3), F(3, 5)),
    ("jnp.delete insert", lambda x: (jnp.delete(x, 1, axis=0), jnp.insert(x, 2, 7.0, axis=1), jnp.delete(x, np.array([0, 2]))), F(3, 5)),
    ("jnp.delete traced", lambda x, i: jnp.delete(x, i, assume_unique_indices=True), F(9), np.array([1, 4], np.int32)),
    ("jnp.diag_indices", lambda x: x[jnp.diag_indices_from(x)] + x[jnp.diag_indices(4)], F(4, 4)),
    ("jnp.tri indices", lambda x: (x[jnp.tril_indices(4)], x[jnp.triu_indices_from(x, 1)], jnp.tri(4, 5, 1) * x[0, 0],
                                   x[jnp.mask_indices(4, jnp.triu, size=10)]), F(4, 4)),
    ("jnp.fill_diagonal", lambda x: jnp.fill_diagonal(x, 3.0, inplace=False), F(4, 4)),
    ("jnp.put", lambda x, i, y: jnp.put(x, i, y, inplace=False), F(9), np.array([1, 4, 7], np.int32), F(3)),
    ("jnp.put_along_axis", lambda x, i, y: jnp.put_along_axis(x, i, y, 1, inplace=False), F(3, 5),
     np.array([[1], [4], [0]], np.int32), F(3, 1)),
    ("jnp.place", lambda x, y: jnp.place(x, x > 0, y, inplace=False), F(9), F(3)),
    ("jnp.frompyfunc", lambda x: jnp.frompyfunc(lambda a, b: a * b + 1, 2, 1).reduce(x, axis=1), F(3, 5)),
    ("jnp.ufunc methods", lambda x: (jnp.add.accumulate(x, axis=1), jnp.multiply.reduce(x), jnp.add.outer(x[0], x[1]),
                                     jnp.add.reduceat(x, jnp.array([0, 2]), axis=1), jnp.add.at(x, 1, 2.0, inplace=False)), F(3, 5), loose),
    ("jnp.fromfunction", lambda x: jnp.fromfunction(lambda i, j: i * x + j, (3, 4)), F()),
    ("jnp.full identity zeros", lambda x: (jnp.full((2, 3), x), jnp.full_like(x, 2, shape=(3,)), jnp.identity(3) * x, jnp.ones_like(x),
                                           jnp.zeros_like(x), jnp.empty_like(x)), F()),
    ("jnp.geomspace logspace", lambda x: (jnp.geomspace(x, 100.0, 7), jnp.logspace(0.0, x, 5)), P(), loose),
    ("jnp.histogram2d", lambda x, y: jnp.histogram2d(x, y, 4), F(40), F(40)),
    ("jnp.histogramdd", lambda x: jnp.histogramdd(x, 3), F(40, 3)),
    ("jnp.histogram_bin_edges", lambda x: jnp.histogram_bin_edges(x, 7), F(40)),
    ("jnp sets", lambda x, y: (jnp.intersect1d(x, y, size=5, fill_value=-1), jnp.union1d(x, y, size=12, fill_value=-1),
                               jnp.setdiff1d(x, y, size=8, fill_value=-1), jnp.setxor1d(x, y, size=12, fill_value=-1),
                               jnp.isin(x, y)), I(8), I(8)),
    ("jnp.unique parts", lambda x: (jnp.unique_values(x, size=9), jnp.unique_counts(x, size=9), jnp.unique_inverse(x, size=9),
                                    jnp.unique_all(x, size=9)), I(12)),
    ("jnp.ix_", lambda x: x[jnp.ix_(jnp.array([0, 2]), jnp.array([1, 3]))], F(4, 5)),
    ("jnp polynomials", lambda a, b: (jnp.polyadd(a, b), jnp.polysub(a, b), jnp.polymul(a, b), jnp.polyder(a), jnp.polyint(b),
                                      jnp.polydiv(b, a)), F(3), F(5), loose),
    ("jnp.poly", lambda x: jnp.poly(x), F(4), loose),
    ("jnp.polyfit", lambda x, y: jnp.polyfit(x, y, 2), F(9), F(9), hard),
    ("jnp.roots", lambda p: jnp.sort(jnp.abs(jnp.roots(p, strip_zeros=False))), F(5), hard),
    ("jnp.ravel_multi_index", lambda i, j: jnp.ravel_multi_index((i, j), (9, 9), mode="clip"), N(5), N(5)),
    ("jnp.unravel_index", lambda i: jnp.unravel_index(i, (4, 5)), I(5, low=0, high=20)),
    ("jnp.rollaxis permute_dims", lambda x: (jnp.rollaxis(x, 2), jnp.permute_dims(x, (1, 2, 0))), F(2, 3, 4)),
    ("jnp.vectorize", jnp.vectorize(lambda a, b: a @ b, signature="(n,m),(m)->(n)"), F(2, 3, 4), F(4)),
    ("jnp.apply_over_axes", lambda x: jnp.apply_over_axes(jnp.sum, x, [0, 2]), F(2, 3, 4), loose),
    ("jnp.nonzero of bits", lambda x: jnp.nonzero(x, size=9, fill_value=-1), B(4, 4)),
    ("jnp.resize", lambda x: jnp.resize(x, (3, 5)), F(2, 4)),
    ("jnp.gradient", lambda x: jnp.gradient(x, axis=(0, 1)), F(5, 6)),
    ("jnp.cumsum int8", lambda x: jnp.cumsum(x, dtype=jnp.int8), I(20, dtype=np.int8)),
    ("jnp.einsum ellipsis", lambda a, b: jnp.einsum("...ij,...jk->...ik", a, b), F(2, 3, 4), F(4, 5)),
    ("jnp.argmax of NaN", lambda x: (jnp.argmax(jnp.where(x > 1, jnp.nan, x)), jnp.max(jnp.where(x > 1, jnp.nan, x))), F(20)),
]

LAX = [
    *named(lax, "acos asin atanh", U(9)),
    *named(lax, "acosh", 1 + P(9)),
    *named(lax, "asinh atan neg is_finite bessel_i0e bessel_i1e", F(9), loose),
    *named(lax, "div rem pow sub mul atan2 eq ne lt le gt ge", P(9), P(9)),
    *named(lax, "div rem max min shift_left shift_right_arithmetic shift_right_logical mulhi", I(9), N(9)),
    *named(lax, "igamma igammac igamma_grad_a random_gamma_grad", P(9), P(9), hard),
    ("lax.integer_pow", lambda x: (lax.integer_pow(x, 7), lax.integer_pow(x, -2)), P(9), loose),
    ("lax.clamp", lambda x: lax.clamp(-0.5, x, 0.5), F(9)),
    ("lax.approx_max_k", lambda x: lax.approx_max_k(x, 3), F(2, 30)),
    ("lax.approx_min_k", lambda x: lax.approx_min_k(x, 3), F(2, 30)),
    ("lax reduces", lambda x: (lax.reduce_sum(x, (0,)), lax.reduce_max(x, (1,)), lax.reduce_min(x, (0, 1)), lax.reduce_prod(x, (1,))), F(4, 5), loose),
    ("lax reduces of bits", lambda x: (lax.reduce_and(x, (0,)), lax.reduce_or(x, (1,)), lax.reduce_xor(x, (0, 1))), I(4, 5)),
    *named(lax, "batch_matmul", F(3, 4, 5), F(3, 5, 2)),
    ("lax.broadcast_in_dim", lambda x: (lax.broadcast_in_dim(x, (2, 3, 4), (1,)), lax.broadcast(x, (2,)), lax.broadcasted_iota(jnp.int32, (3, 4), 1)), F(3)),
    ("lax.iota", lambda x: lax.iota(jnp.float32, 5) * x, F()),
    ("lax.collapse", lambda x: lax.collapse(x, 0, 2), F(2, 3, 4)),
    ("lax.composite", lax.composite(lambda x: jnp.sin(x) * 2, "my.sine"), F(5)),
    ("lax.conv_general_dilated_local", lambda x, k: lax.conv_general_dilated_local(x, k, (1, 1), "VALID", (2, 2)), F(2, 3, 5, 5), F(4, 12, 4, 4), loose),
    ("lax.conv_general_dilated_patches", lambda x: lax.conv_general_dilated_patches(x, (2, 2), (1, 1), "VALID"), F(2, 3, 5, 5)),
    ("lax.conv_with_general_padding", lambda x, k: lax.conv_with_general_padding(x, k, (1, 1), ((1, 0), (2, 1)), (1, 2), (2, 1)), F(2, 3, 5, 5), F(4, 3, 2, 2), loose),
    ("lax slices", lambda x, i: (lax.slice(x, (1, 0), (4, 5), (2, 3)), lax.slice_in_dim(x, 1, 3), lax.index_in_dim(x, 2), lax.index_take(x, (i,), (0,)),
                                 lax.dynamic_slice_in_dim(x, i[0], 2), lax.dynamic_update_slice_in_dim(x, x[:2], i[1], 0),
                                 lax.dynamic_update_index_in_dim(x, x[0], i[2], 0)), F(5, 6), I(3, low=0, high=4)),
    ("lax.scatters", lambda x, i, y: [f(x, i, y, lax.ScatterDimensionNumbers((1,), (0,), (0,))) for f in (
        lax.scatter_add, lax.scatter_mul, lax.scatter_min, lax.scatter_max)], F(9, 3), I(4, 1, low=0, high=9), F(4, 3), loose),
    ("lax.scatter_sub", lambda x, i, y: lax.scatter_sub(x, i, y, lax.ScatterDimensionNumbers((1,), (0,), (0,))), F(9, 3), I(4, 1, low=0, high=9), F(4, 3), loose),
    ("lax.scatter_apply", lambda x, i: lax.scatter_apply(x, i, jnp.sin, lax.ScatterDimensionNumbers((), (0,), (0,)), update_shape=(4,)), F(9), np.array([[1], [3], [4], [8]], np.int32)),
    ("lax.ragged_dot", lambda a, b, n: lax.ragged_dot(a, b, n), F(9, 4), F(3, 4, 5), np.array([2, 4, 3], np.int32), loose),
    ("lax.custom_linear_solve", lambda a, b: lax.custom_linear_solve(lambda x: a @ x, b, lambda m, y: jnp.linalg.solve(a, y)), SPD(4), F(4), loose),
    ("lax.custom_root", lambda a: lax.custom_root(lambda x: x ** 3 - a, a, lambda f, x: lax.fori_loop(0, 30, lambda i, y: y - f(y) / (3 * y * y + 1e-3), x),
                                                  lambda f, y: y / f(1.0)), P(), loose),
    ("lax.optimization_barrier", lambda x: lax.optimization_barrier((jnp.sin(x), x)), F(5)),
    ("lax.platform_dependent", lambda x: lax.platform_dependent(x, cpu=jnp.sin, default=jnp.cos), F(5)),
    ("lax.rng_uniform", lambda k: lax.rng_uniform(0.0, 1.0, (4,)) * 0 + k, F(4)),
    ("lax.sort_key_val", lambda a, b: lax.sort_key_val(a, b), F(3, 9), I(3, 9)),
    ("lax.unstack", lambda x: lax.unstack(x, 1), F(3, 4)),
    ("lax.convert_element_type", lambda x: lax.convert_element_type(x, np.int8), F(9)),
    ("lax.zeta", lambda x: lax.zeta(x, 2.5), 1 + P(5), loose),
    ("lax.reduce_window mean", lambda x: lax.reduce_window(x, 0.0, lax.add, (3, 3), (1, 1), "SAME", (1, 1), (2, 1)), F(7, 7), loose),
    ("lax.fft", lambda z: lax.fft(z, "FFT", (4, 6)), C(2, 4, 6), loose),
    ("lax.linalg", lambda a: (lax.linalg.cholesky(a), lax.linalg.lu(a)[0], lax.linalg.triangular_solve(a, a, left_side=True, lower=True)), SPD(4), loose),
    ("lax.linalg.symmetric_product", lambda a, c: lax.linalg.symmetric_product(a, c, symmetrize_output=True), F(4, 3), SPD(4), loose),
    ("lax.linalg.cholesky_update", lambda a, x: lax.linalg.cholesky_update(jnp.linalg.cholesky(a).T, x), SPD(4), F(4), loose),
    ("lax.linalg.householder_product", lambda a: (lambda h, t: lax.linalg.householder_product(h.mT, t))(*jnp.linalg.qr(a, mode="raw")), F(5, 3), loose),
    ("lax.linalg.ormqr", lambda a, c: (lambda h, t: lax.linalg.ormqr(h.mT, t, c))(*jnp.linalg.qr(a, mode="raw")), F(5, 5), F(5, 2), loose),
    ("lax.linalg.schur", lambda a: (lambda t, u: u @ t @ u.T)(*lax.linalg.schur(a)), F(4, 4), hard),
    ("lax.linalg.tridiagonal", lambda a: [jnp.abs(x) for x in lax.linalg.tridiagonal(a)[1:3]], SPD(5), loose),
    ("lax.linalg.eig", lambda a: jnp.sort(jnp.abs(lax.linalg.eig(a)[0])), F(5, 5), hard),
    ("lax.linalg.qdwh", lambda a: lax.linalg.qdwh(a)[0], F(4, 4), hard),
]

NN = [
    *named(nn, "identity hard_silu swish sparse_plus sparse_sigmoid logmeanexp", F(4, 6), loose),
    *named(nn, "log1mexp", P(9), loose),
    ("nn.dot_product_attention masked", lambda q, k, w: nn.dot_product_attention(q, k, w, is_causal=True), F(2, 5, 4, 8), F(2, 5, 2, 8), F(2, 5, 2, 8), loose),
    *[(f"initializers.{name}", key(lambda k, name=name: getattr(nn.initializers, name)()(k, (4, 5))), KEY(), loose) for name in (
        "glorot_normal he_normal he_uniform kaiming_normal kaiming_uniform lecun_normal lecun_uniform xavier_normal xavier_uniform").split()],
    ("initializers.variance_scaling", key(lambda k: nn.initializers.variance_scaling(2.0, "fan_avg", "truncated_normal")(k, (4, 5))), KEY(), loose),
    ("initializers.delta_orthogonal", key(lambda k: jnp.sum(nn.initializers.delta_orthogonal()(k, (3, 4, 5)) ** 2)), KEY(), loose),
]

RANDOM = [
    ("random.binomial", key(lambda k, n, p: jr.binomial(k, n, p)), KEY(), np.float32([5, 20, 100]), np.float32([0.2, 0.5, 0.9])),
    ("random.chisquare", key(lambda k: jr.chisquare(k, 3.0, shape=(5,))), KEY(), loose),
    ("random.double_sided_maxwell", key(lambda k: jr.double_sided_maxwell(k, 0.5, 2.0, (5,))), KEY(), loose),
    ("random.generalized_normal", key(lambda k: jr.generalized_normal(k, 1.5, (5,))), KEY(), loose),
    ("random.geometric", key(lambda k: jr.geometric(k, 0.2, (9,))), KEY()),
    ("random.loggamma", key(lambda k, a: jr.loggamma(k, a)), KEY(), P(5), loose),
    ("random.lognormal", key(lambda k: jr.lognormal(k, shape=(5,))), KEY(), loose),
    ("random.maxwell", key(lambda k: jr.maxwell(k, (5,))), KEY(), loose),
    ("random.multinomial", key(lambda k: jr.multinomial(k, 20.0, jnp.array([0.2, 0.3, 0.5]))), KEY()),
    ("random.pareto", key(lambda k: jr.pareto(k, 2.0, (5,))), KEY(), loose),
    ("random.rayleigh", key(lambda k: jr.rayleigh(k, 2.0, (5,))), KEY(), loose),
    ("random.triangular", key(lambda k: jr.triangular(k, 0.0, 1.0, 3.0, (5,))), KEY(), loose),
    ("random.wald", key(lambda k: jr.wald(k, 1.5, (5,))), KEY(), loose),
    ("random.weibull_min", key(lambda k: jr.weibull_min(k, 1.0, 2.0, (5,))), KEY(), loose),
    ("random.orthogonal", key(lambda k: jnp.abs(jr.orthogonal(k, 3))), KEY(), loose),
    ("random.f", key(lambda k: jr.f(k, 3.0, 4.0, (5,))), KEY(), loose),
    ("random.rbg key", lambda d: jr.normal(jr.wrap_key_data(d, impl="rbg"), (7,)), np.array([1, 2, 3, 4], np.uint32), loose),
    ("random.unsafe_rbg key", lambda d: jr.key_data(jr.split(jr.wrap_key_data(d, impl="unsafe_rbg"), 3)), np.array([1, 2, 3, 4], np.uint32)),
    ("random.uniform f16 bits", key(lambda k: jr.uniform(k, (5,), jnp.float16).astype(jnp.float32)), KEY()),
    ("random.normal complex", key(lambda k: jr.normal(k, (5,), jnp.complex64)), KEY(), loose),
    ("random.shuffle rows", key(lambda k, x: jr.permutation(k, x, axis=1, independent=True)), KEY(), F(3, 6)),
    ("random.choice weights", key(lambda k, p: jr.choice(k, 6, (5,), p=p / p.sum())), KEY(), P(6)),
]

LINALG = [
    ("linalg.eig", lambda a: (lambda w, x: jnp.abs(a @ x - x * w))(*jnp.linalg.eig(a)), F(4, 4), hard),
    ("linalg.vector_norm matrix_norm", lambda a: (jnp.linalg.vector_norm(a, axis=1, ord=3), jnp.linalg.matrix_norm(a, ord="nuc"), jnp.linalg.matrix_norm(a, ord=2)), F(4, 5), loose),
    *named(jnp.linalg, "svdvals diagonal matrix_transpose", F(4, 3), loose),
    ("linalg.tensorinv", lambda a: jnp.linalg.tensorinv(a), (np.eye(6) + 0.1 * F(6, 6)).astype(np.float32).reshape(2, 3, 6), hard),
    ("linalg.tensorsolve", lambda a, b: jnp.linalg.tensorsolve(a, b), (np.eye(6) + 0.1 * F(6, 6)).astype(np.float32).reshape(2, 3, 6), F(2, 3), hard),
    ("linalg.vecdot", jnp.linalg.vecdot, C(3, 4), C(3, 4)),
    *named(jsp.linalg, "circulant companion fiedler", 1 + P(4)),
    *named(jsp.linalg, "hankel", F(4)),
    ("jsp.linalg matrices", lambda x: [x * f(4) for f in (jsp.linalg.dft, jsp.linalg.hadamard, jsp.linalg.helmert, jsp.linalg.hilbert, jsp.linalg.pascal)], F(), loose),
    ("jsp.linalg.convolution_matrix", lambda x: jsp.linalg.convolution_matrix(x, 5), F(3)),
    ("jsp.linalg.eigh_tridiagonal", lambda d, e: jsp.linalg.eigh_tridiagonal(d, e, eigvals_only=True), F(6), F(5), hard),
    ("jsp.linalg.expm_frechet", lambda a, e: jsp.linalg.expm_frechet(0.3 * a, e), F(4, 4), F(4, 4), hard),
    ("jsp.linalg.funm", lambda a: jsp.linalg.funm(a, jnp.exp, disp=False)[0], 0.3 * SPD(3), hard),
    ("jsp.linalg.lu_solve", lambda a, b: jsp.linalg.lu_solve(jsp.linalg.lu_factor(a), b, trans=1), SPD(4), F(4, 2), loose),
    ("jsp.linalg.polar", lambda a: jsp.linalg.polar(a), F(4, 4), hard),
    ("jsp.linalg.qr_multiply", lambda a, c: jsp.linalg.qr_multiply(a, c)[0], F(5, 3), F(3, 5), hard),
    ("jsp.linalg.schur", lambda a: (lambda t, z: z @ t @ z.T)(*jsp.linalg.schur(a)), F(4, 4), hard),
    ("jsp.linalg.rsf2csf", lambda a: (lambda t, z: jnp.abs(z @ t @ z.conj().T))(*jsp.linalg.rsf2csf(*jsp.linalg.schur(a))), F(4, 4), hard),
    ("jsp.linalg.sqrtm", lambda a: jsp.linalg.sqrtm(a), SPD(4), hard),
    ("jsp.linalg.solve_sylvester", lambda a, b, c: jsp.linalg.solve_sylvester(a, b, c), SPD(3), SPD(3), F(3, 3), hard),
    ("jsp.linalg.cholesky lower", lambda a: jsp.linalg.cholesky(a, lower=True), SPD(4), loose),
    ("jsp.linalg.solve complex", lambda a, b: jnp.linalg.solve(a + 4 * jnp.eye(4), b), C(4, 4), C(4, 2), loose),
    ("jsp.linalg.svd complex", lambda a: jnp.linalg.svd(a, compute_uv=False), C(4, 3), loose),
    ("jsp.linalg.eigh complex", lambda a: jnp.linalg.eigvalsh(a + a.conj().T), C(4, 4), loose),
    ("jsp.linalg.eigh subset", lambda a: jsp.linalg.eigh(a + a.T, eigvals_only=True), F(4, 4), loose),
    ("jsp.linalg.qr pivoting", lambda a: jnp.abs(jsp.linalg.qr(a, pivoting=True, mode="r")[0]), F(5, 4), hard),
    ("sparse cg", lambda a, b: jsp.sparse.linalg.cg(lambda x: a @ x, b)[0], SPD(5), F(5), hard),
    ("sparse gmres", lambda a, b: jsp.sparse.linalg.gmres(lambda x: a @ x, b)[0], SPD(5), F(5), hard),
    ("sparse bicgstab", lambda a, b: jsp.sparse.linalg.bicgstab(lambda x: a @ x, b)[0], SPD(5), F(5), hard),
    ("grad expm", g(jsp.linalg.expm), 0.3 * F(3, 3), hard),
    ("grad inv", g(jnp.linalg.inv), SPD(3), loose),
    ("grad qr", g(lambda a: jnp.linalg.qr(a)[1] ** 2), F(4, 3), hard),
    ("grad lu", g(lambda a: jsp.linalg.lu(a, permute_l=True)[0]), SPD(3), hard),
    ("grad eig", g(lambda a: jnp.abs(jnp.linalg.eigvals(a))), F(3, 3), hard),
    ("grad slogdet", g(lambda a: jnp.linalg.slogdet(a)[1]), F(3, 3), loose),
    ("grad pinv", g(jnp.linalg.pinv), F(4, 3), hard),
    ("grad lstsq", g(lambda a, b: jnp.linalg.lstsq(a, b)[0]), F(5, 3), F(5), hard),
    ("grad sqrtm", g(lambda a: jnp.real(jnp.linalg.matrix_power(a, 3))), F(3, 3), hard),
]

FFT = [
    *named(jnp.fft, "fftn ifft2 ifftn hfft", C(4, 6), loose),
    *named(jnp.fft, "rfft2 rfftn ihfft ifftshift", F(4, 6), loose),
    *named(jnp.fft, "irfft2 irfftn", C(4, 5), loose),
    ("fft.fftfreq", lambda x: x * jnp.fft.fftfreq(9, 0.5) + jnp.fft.rfftfreq(16), F(9)),
    *named(jsp.fft, "dctn idct idctn", F(4, 6), loose),
    ("fft odd sizes", lambda z: [jnp.fft.fft(z, n) for n in (1, 2, 3, 5, 7, 11, 13, 16, 17, 30)], C(30), loose),
    ("grad fft", g(lambda x: jnp.abs(jnp.fft.rfft(x)) ** 2), F(12), hard),
    ("signal.correlate", lambda a, b: (jsp.signal.correlate(a, b), jsp.signal.correlate2d(a, b)), F(5, 6), F(2, 3), loose),
    ("signal.fftconvolve", lambda a, b: jsp.signal.fftconvolve(a, b), F(20), F(7), loose),
    ("signal.detrend", lambda x: jsp.signal.detrend(x), F(20), loose),
    ("signal.stft", lambda x: jsp.signal.stft(x, nperseg=16), F(64), loose),
    ("signal.istft", lambda x: jsp.signal.istft(jsp.signal.stft(x, nperseg=16)[2], nperseg=16)[1], F(64), loose),
    ("signal.csd", lambda x, y: jsp.signal.csd(x, y, nperseg=16), F(64), F(64), loose),
    ("signal.welch", lambda x: jsp.signal.welch(x, nperseg=16), F(64), loose),
]

SPECIAL = [
    *named(jsp.special, "erfcx dawsn spence", P(9), hard),
    *named(jsp.special, "exp1 gammasgn factorial loggamma", P(9), hard),
    *named(jsp.special, "expi", P(9), hard),
    *named(jsp.special, "boxcox boxcox1p kl_div rel_entr poch", P(9), P(9), hard),
    *named(jsp.special, "sici fresnel", P(9), hard),
    ("special.expn", lambda x: jsp.special.expn(3, x), P(9), hard),
    ("special.multigammaln", lambda x: jsp.special.multigammaln(4 + x, 3), P(9), hard),
    ("special.bessel_jn", lambda x: jsp.special.bessel_jn(x, v=3), P(5), hard),
    ("special.hyp1f1", lambda a, b, x: jsp.special.hyp1f1(a, b, x), P(5), P(5), U(5), hard),
    ("special.hyp2f1", lambda a, b, c, x: jsp.special.hyp2f1(a, b, c, x), P(5), P(5), P(5), 0.5 * U(5), hard),
    ("special.comb", lambda n, k: jsp.special.comb(n, k), 9 + P(5), P(5), hard),
    ("special.sph_harm_y", lambda t, p: jsp.special.sph_harm_y(jnp.array([2]), jnp.array([1]), t, p, n_max=3), P(1), P(1), hard),
    ("special.lpmn", lambda x: jsp.special.lpmn_values(3, 3, x, True), U(5), hard),
    ("special.wofz", lambda z: jsp.special.wofz(z), C(5), hard),
    ("special.owens_t", lambda h, a: jsp.special.owens_t(h, a), P(5), P(5), hard),
    ("special.betainc gradient", g(lambda x, a, b: jsp.special.betainc(a, b, x)), np.float32([0.2, 0.5, 0.8]), P(3), P(3), hard),
    ("special.gammainc gradient", g(lambda a, x: jsp.special.gammainc(a, x), (0, 1)), P(5), P(5), hard),
    ("special.polygamma gradient", g(lambda x: jsp.special.polygamma(1, x)), P(5), hard),
]


def densities():
    """Of jax.scipy.stats: each distribution with arguments that it takes."""
    x, p, q = F(9), P(9), np.linspace(0.05, 0.95, 9).astype(np.float32)
    n = N(9)
    parameters = {  # what stands after the point, and where it is evaluated
        "beta": ((P(9), P(9)), q), "cauchy": ((), x), "chi2": ((P(9),), p), "expon": ((), p), "gamma": ((P(9),), p),
        "gumbel_l": ((), x), "gumbel_r": ((), x), "laplace": ((), x), "logistic": ((), x), "norm": ((), x), "pareto": ((P(9),), 1 + p),
        "t": ((P(9),), x), "truncnorm": ((np.float32(-1), np.float32(2)), U(9)), "uniform": ((), q), "vonmises": ((P(9),), x),
        "wrapcauchy": ((q,), p), "gennorm": ((P(9),), x), "bernoulli": ((q,), I(9, low=0, high=2)), "betabinom": ((np.int32(9), P(9), P(9)), n),
        "binom": ((np.int32(9), q), n), "geom": ((q,), n), "nbinom": ((P(9), q), n), "poisson": ((P(9),), n)}
    for name, (shape, at) in parameters.items():
        module = getattr(jsp.stats, name)
        for method in "pdf logpdf pmf logpmf cdf logcdf sf logsf".split():
            if hasattr(module, method):
                yield (f"stats.{name}.{method}", getattr(module, method), at, *shape, hard)
        for method in ("ppf", "isf"):
            if hasattr(module, method):
                yield (f"stats.{name}.{method}", getattr(module, method), q, *shape, hard)


STATS = [
    *densities(),
    ("stats.dirichlet", lambda x, a: (jsp.stats.dirichlet.pdf(x, a), jsp.stats.dirichlet.logpdf(x, a)), np.float32([0.2, 0.3, 0.5]), P(3), hard),
    ("stats.multinomial", lambda x: jsp.stats.multinomial.pmf(x, 6, jnp.array([0.2, 0.3, 0.5])), np.int32([1, 2, 3]), loose),
    ("stats.multivariate_normal", lambda x, m, c: (jsp.stats.multivariate_normal.pdf(x, m, c), jsp.stats.multivariate_normal.logpdf(x, m, c)), F(3), F(3), SPD(3), hard),
    ("stats.rankdata", jsp.stats.rankdata, F(9)),
    ("stats.sem mode", lambda x: (jsp.stats.sem(x), jsp.stats.mode(jnp.round(x))), F(9), loose),
    ("stats.gaussian_kde", lambda x, y: jsp.stats.gaussian_kde(x)(y), F(12), F(5), hard),
    ("integrate.trapezoid", jsp.integrate.trapezoid, F(9), loose),
    ("interpolate", lambda x, y, z, p: jsp.interpolate.RegularGridInterpolator((x, y), z)(p), np.arange(4, dtype=np.float32), np.arange(5, dtype=np.float32), F(4, 5), P(3, 2), loose),
    ("cluster.vq", lambda x, c: jsp.cluster.vq.vq(x, c), F(9, 3), F(4, 3), loose),
    ("optimize.minimize", lambda x: jsp.optimize.minimize(lambda y: jnp.sum((y - 1.5) ** 2), x, method="BFGS").x, F(3), hard),
    ("spatial.Rotation", lambda q, x: jsp.spatial.transform.Rotation.from_quat(q).apply(x), F(4), F(5, 3), loose),
]

OTHERS = [
    ("segment_sum", lambda x, i: (jax.ops.segment_sum(x, i, 4), jax.ops.segment_max(x, i, 4), jax.ops.segment_prod(x, i, 4)), F(9, 2), I(9, low=0, high=4), loose),
    ("image.scale_and_translate", lambda x: jax.image.scale_and_translate(x, (6, 7, 3), (0, 1), jnp.array([1.2, 0.8]), jnp.array([0.5, -0.3]), "cubic"), F(4, 5, 3), hard),
    *[(f"image.resize {m}", lambda x, m=m: jax.image.resize(x, (7, 5, 3), m), F(4, 6, 3), loose) for m in ("cubic", "lanczos3", "lanczos5", "linear")],
    ("ode", lambda y: jax.experimental.ode.odeint(lambda y, t: -y * t, y, jnp.linspace(0.0, 1.0, 4)), F(3), hard),
    ("sparse BCOO", lambda a, b: jax.experimental.sparse.bcoo_fromdense(a, nse=12) @ b, F(3, 4), F(4, 2), loose),
    ("pallas-free scan of scans", lambda x: lax.scan(lambda c, r: lax.scan(lambda d, e: (d * 0.9 + e, d), c, r), 0.0, x), F(4, 5), loose),
    ("vmap of scan", jax.vmap(lambda x: lax.scan(lambda c, e: (c + e, c * e), 0.0, x)), F(3, 6), loose),
    ("vmap of sort and argsort", jax.vmap(lambda x: (jnp.sort(x), jnp.argsort(x))), F(4, 9)),
    ("vmap of gather and scatter", jax.vmap(lambda x, i, y: x[i] + x.at[i].set(y)[i]), F(4, 9), I(4, 3, low=0, high=9), F(4, 3)),
    ("vmap of conv", jax.vmap(lambda x, k: lax.conv(x, k, (1, 1), "SAME")), F(3, 2, 3, 6, 6), F(3, 4, 3, 3, 3), loose),
    ("vmap of cholesky solve", jax.vmap(lambda a, b: jsp.linalg.cho_solve((jnp.linalg.cholesky(a), True), b)), np.stack([SPD(3), SPD(3)]), F(2, 3), loose),
    ("vmap of switch", jax.vmap(lambda i, x: lax.switch(i, [jnp.sin, jnp.cos, jnp.tanh], x)), I(5, low=-1, high=4), F(5)),
    ("vmap of while with batch", jax.vmap(lambda n: lax.while_loop(lambda s: s[0] < n, lambda s: (s[0] + 1, s[1] * 1.5), (0, 1.0))), I(5, low=0, high=9), loose),
    ("vmap of fori with dynamic slice", jax.vmap(lambda x, i: lax.fori_loop(0, 4, lambda k, a: a + lax.dynamic_slice(x, (i + k,), (2,)), jnp.zeros(2))), F(3, 8), I(3, low=0, high=5), loose),
    ("jvp of scan", lambda x, t: jax.jvp(lambda y: lax.scan(lambda c, e: (jnp.sin(c) + e, c), 0.0, y), (x,), (t,)), F(6), F(6), loose),
    ("grad of while through scan", g(lambda x: lax.fori_loop(0, 5, lambda i, y: jnp.sin(y) + x, x)), F(4), loose),
    ("grad of cond", g(lambda p, x: lax.cond(p > 0, jnp.sin, lambda y: y ** 3, x), 1), F(), F(4), loose),
    ("grad of gather", g(lambda x, i: x[i, :, i] ** 2), F(4, 5, 4), I(6, low=0, high=4), loose),
    ("grad of scatter", g(lambda x, i, y: x.at[i].mul(y, unique_indices=True) ** 2, (0, 2)), F(9), np.array([1, 5, 7], np.int32), F(3), loose),
    ("grad of sort", g(lambda x: jnp.sort(x, axis=0) * jnp.arange(20).reshape(4, 5)), F(4, 5), loose),
    ("grad of reduce_window", g(lambda x: lax.reduce_window(x, -jnp.inf, lax.max, (3,), (2,), "SAME") ** 2), F(12), loose),
    ("grad of conv dilated groups", g(lambda k, x: lax.conv_general_dilated(x, k, (2, 1), ((1, 2), (0, 1)), rhs_dilation=(2, 1), feature_group_count=3) ** 2),
     F(6, 1, 3, 2), F(2, 3, 9, 8), hard),
    ("grad of conv 3d", g(lambda x, k: lax.conv_general_dilated(x, k, (1, 2, 1), "SAME") ** 2), F(1, 2, 5, 6, 4), F(3, 2, 2, 3, 2), hard),
    ("grad of cumulative ops", g(lambda x: lax.cummax(x) * lax.cumlogsumexp(x) + lax.cumprod(x)), P(8), hard),
    ("hessian of log likelihood", jax.hessian(lambda w, x: jnp.sum(nn.softplus(x @ w))), F(4), F(9, 4), loose),
    ("jacfwd of jacrev", jax.jacfwd(jax.jacrev(lambda x: jnp.sum(jnp.tanh(x) ** 3) * x)), F(4), loose),
    ("linearize", lambda x, t: jax.linearize(lambda y: jnp.sin(y) * y, x)[1](t), F(5), F(5)),
    ("linear_transpose", lambda x: jax.linear_transpose(lambda y: jnp.convolve(y, jnp.arange(3.0)), jnp.zeros(5))(x), F(7), loose),
    ("custom_vjp", g((lambda f: (f.defvjp(lambda x: (jnp.abs(x), x), lambda r, t: (t * jnp.sign(r) * 2,)), f)[1])(jax.custom_vjp(jnp.abs))), F(5)),
    ("complex gradient", jax.grad(lambda z: jnp.abs(jnp.sum(z ** 2)), holomorphic=False), C(4), loose),
    ("f16 softmax", lambda x: nn.softmax(x), H(4, 9), dict(rtol=4e-3, atol=4e-3)),
    ("bf16 layer", lambda x, w: (jnp.tanh(x.astype(jnp.bfloat16) @ w.astype(jnp.bfloat16)) * 2).astype(jnp.float32), F(5, 9), F(9, 3), dict(rtol=2e-2, atol=2e-2)),
    ("f8 round trip", lambda x: [x.astype(t).astype(jnp.float32) for t in (jnp.float8_e4m3fn, jnp.float8_e5m2, jnp.float8_e4m3b11fnuz, jnp.float8_e4m3fnuz, jnp.float8_e5m2fnuz)], F(20)),
    ("int4 arithmetic", lambda x: ((x.astype(jnp.int4) * 3).astype(jnp.int32), (x.astype(jnp.uint4) >> 1).astype(jnp.int32)), I(9, low=-8, high=8)),
    ("int8 dot", lambda a, b: lax.dot(a, b, preferred_element_type=jnp.int32), I(5, 20, low=-128, high=128, dtype=np.int8), I(20, 7, low=-128, high=128, dtype=np.int8)),
    ("threefry by hand", lambda k: jax.extend.random.threefry_2x32(k, jnp.arange(8, dtype=jnp.uint32)), np.array([1, 2], np.uint32)),
]

FUNCTIONS = JNP + LAX + NN + RANDOM + LINALG + FFT + SPECIAL + STATS + OTHERS
