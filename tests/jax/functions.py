"""What JAX lowers and acceld must run: one row a function. To add one, add its line.

A row is (name, function, arguments...), with a dictionary of tolerances at its end where float32's own are too tight.
Arguments are made by the letters below; they are the same in every run.
"""

import functools
import itertools

import jax
import jax.numpy as jnp
import jax.scipy as jsp
import numpy as np
import optax
from flax import linen
from jax import lax, nn
from jax import random as jr

rng = np.random.default_rng(20)


def F(*dims, dtype=np.float32):  # normal numbers
    return rng.standard_normal(dims).astype(dtype)


def P(*dims):  # positive, away from zero
    return rng.uniform(0.2, 3, dims).astype(np.float32)


def U(*dims):  # within (-1, 1)
    return rng.uniform(-0.95, 0.95, dims).astype(np.float32)


def I(*dims, low=-9, high=10, dtype=np.int32):
    return rng.integers(low, high, dims).astype(dtype)


def N(*dims):  # natural numbers
    return I(*dims, low=1, high=9)


def B(*dims):
    return rng.integers(0, 2, dims).astype(bool)


def C(*dims):
    return (rng.standard_normal(dims) + 1j * rng.standard_normal(dims)).astype(np.complex64)


def H(*dims):
    return F(*dims, dtype=np.float16)


def SPD(n):  # symmetric, positive definite
    a = F(n, n)
    return (a @ a.T + n * np.eye(n)).astype(np.float32)


def BAD(n, at):  # as SPD, with a NaN
    a = SPD(n)
    a[at] = np.nan
    return a


def KEY():
    return np.array([7, 11], np.uint32)


def g(f, argnums=0):  # the gradient of the sum of what f gives
    return jax.grad(lambda *a: jnp.sum(f(*a)), argnums)


def key(f):  # a function of a typed key, as one of raw key data
    return lambda data, *a: f(jr.wrap_key_data(data), *a)


def lapack_qr(given, wanted):  # by name, with other layouts (major to minor) than JAX's own calls have
    def call(x):
        tau = jax.ShapeDtypeStruct((x.shape[0], min(x.shape[1:])), x.dtype)
        return jax.ffi.ffi_call("lapack_sgeqrf_ffi", (jax.ShapeDtypeStruct(x.shape, x.dtype), tau),
                                input_layouts=[given], output_layouts=[wanted, (0, 1)])(x)
    return call


v = jax.vmap
loose = dict(rtol=1e-4, atol=1e-4)

ELEMENTWISE = [
    *[(f"jnp.{f.__name__}", f, F(3, 5)) for f in (
        jnp.abs, jnp.negative, jnp.sign, jnp.floor, jnp.ceil, jnp.rint, jnp.trunc, jnp.exp, jnp.exp2, jnp.expm1,
        jnp.sin, jnp.cos, jnp.tan, jnp.arctan, jnp.sinh, jnp.cosh, jnp.tanh, jnp.arcsinh, jnp.square, jnp.cbrt,
        jnp.isnan, jnp.isfinite, jnp.isinf, jnp.signbit, jnp.deg2rad, jnp.sinc, jnp.nan_to_num, jnp.positive)],
    *[(f"jnp.{f.__name__}", f, P(3, 5)) for f in (
        jnp.sqrt, jnp.log, jnp.log2, jnp.log10, jnp.log1p, jnp.reciprocal)],
    *[(f"jnp.{f.__name__}", f, U(3, 5)) for f in (jnp.arcsin, jnp.arccos, jnp.arctanh)],
    ("jnp.arccosh", lambda x: jnp.arccosh(1 + x), P(4)),
    *[(f"jnp.{f.__name__} 2", f, F(3, 5), P(5)) for f in (
        jnp.add, jnp.subtract, jnp.multiply, jnp.divide, jnp.maximum, jnp.minimum, jnp.arctan2, jnp.hypot,
        jnp.fmod, jnp.remainder, jnp.floor_divide, jnp.copysign, jnp.nextafter, jnp.logaddexp, jnp.logaddexp2,
        jnp.heaviside, jnp.fmax, jnp.float_power, jnp.ldexp)[:18]],
    ("jnp.power", jnp.power, P(3, 5), F(5)),
    ("jnp.power int", lambda x: x ** 5, I(7)),
    ("jnp.divmod", jnp.divmod, I(9), N(9)),
    *[(f"jnp.{f.__name__} int", f, I(3, 5), N(5)) for f in (
        jnp.add, jnp.multiply, jnp.floor_divide, jnp.remainder, jnp.bitwise_and, jnp.bitwise_or, jnp.bitwise_xor,
        jnp.left_shift, jnp.right_shift, jnp.gcd, jnp.lcm, jnp.less, jnp.greater_equal, jnp.not_equal, jnp.equal)],
    ("jnp.bitwise_not", jnp.bitwise_not, I(6)),
    ("lax.population_count", lax.population_count, I(6)),
    ("lax.clz", lax.clz, I(6)),
    ("jnp.logical ops", lambda a, b: (a & b, a | b, a ^ b, ~a), B(9), B(9)),
    ("jnp.where", jnp.where, B(3, 4), F(3, 4), F(4)),
    ("jnp.select", lambda c, d, x, y: jnp.select([c, d], [x, y], 3.0), B(5), B(5), F(5), F(5)),
    ("jnp.clip", lambda x: jnp.clip(x, -0.5, 0.5), F(9)),
    ("jnp.interp", jnp.interp, F(9), np.linspace(-2, 2, 7).astype(np.float32), F(7)),
    ("jnp.real imag conj angle", lambda z: (z.real, z.imag, z.conj(), jnp.angle(z), jnp.abs(z)), C(6)),
    *[(f"jnp.{f.__name__} complex", f, C(5)) for f in (
        jnp.exp, jnp.log, jnp.sqrt, jnp.sin, jnp.cosh, jnp.tanh, jnp.square, jnp.reciprocal, jnp.sign)],
    ("lax.complex", lax.complex, F(4), F(4)),
    ("lax.rsqrt", lax.rsqrt, P(7)),
    ("lax.reduce_precision", lambda x: lax.reduce_precision(x, 5, 7), F(9)),
    ("lax.bitcast", lambda x: lax.bitcast_convert_type(x, jnp.int32), F(9)),
    ("lax.bitcast narrow", lambda x: lax.bitcast_convert_type(x, jnp.uint8), F(3)),
    ("lax.round", lambda x: lax.round(x, lax.RoundingMethod.TO_NEAREST_EVEN), F(9)),
    ("lax.convert", lambda x: [x.astype(t) for t in (jnp.int32, jnp.uint8, jnp.float16, jnp.bool_)], P(9)),
    ("f16", lambda x: (jnp.tanh(x), x * x + 1, jnp.exp(x)), H(9), dict(rtol=4e-3, atol=4e-3)),
    ("bf16", lambda x: (x.astype(jnp.bfloat16) * 3).astype(jnp.float32), F(9), dict(rtol=1e-2, atol=1e-2)),
    ("int8 wraps", lambda x: x * x * x, I(9, dtype=np.int8)),
    ("uint32", lambda x: (x * np.uint32(2654435761)) >> np.uint32(7), I(9, low=0, dtype=np.uint32)),
]

SPECIAL = [
    *[(f"jsp.{f.__name__}", f, F(9), loose) for f in (
        jsp.special.erf, jsp.special.erfc, jsp.special.expit, jsp.special.i0e, jsp.special.i1e, jsp.special.ndtr,
        jsp.special.log_ndtr, jsp.special.i0, jsp.special.i1, jsp.special.sinc if hasattr(jsp.special, "sinc") else jnp.sinc)],
    *[(f"jsp.{f.__name__}", f, P(9), loose) for f in (
        jsp.special.gammaln, jsp.special.digamma, jsp.special.entr, jsp.special.xlogy and jsp.special.gamma)],
    ("jsp.erf_inv", jsp.special.erfinv, U(9), loose),
    ("jsp.logit", jsp.special.logit, rng.uniform(0.1, 0.9, 9).astype(np.float32)),
    ("jsp.ndtri", jsp.special.ndtri, rng.uniform(0.1, 0.9, 9).astype(np.float32), loose),
    ("jsp.xlogy", jsp.special.xlogy, P(9), P(9)),
    ("jsp.xlog1py", jsp.special.xlog1py, P(9), P(9)),
    ("jsp.betaln", jsp.special.betaln, P(9), P(9), loose),
    ("jsp.gammainc", jsp.special.gammainc, P(9), P(9), loose),
    ("jsp.gammaincc", jsp.special.gammaincc, P(9), P(9), loose),
    ("jsp.betainc", jsp.special.betainc, P(9), P(9), rng.uniform(0.1, 0.9, 9).astype(np.float32), loose),
    ("jsp.zeta", lambda x, q: jsp.special.zeta(1.5 + x, q), P(5), P(5), loose),
    ("jsp.polygamma", lambda x: jsp.special.polygamma(2, x), P(5), dict(rtol=1e-3, atol=1e-3)),
    ("jsp.logsumexp", lambda x: jsp.special.logsumexp(x, -1), F(3, 9)),
    ("jsp.norm.logpdf", jsp.stats.norm.logpdf, F(9)),
    ("jsp.norm.cdf", jsp.stats.norm.cdf, F(9), loose),
    ("jsp.gamma.logpdf", jsp.stats.gamma.logpdf, P(9), P(9), loose),
    ("jsp.poisson.logpmf", jsp.stats.poisson.logpmf, N(9), P(9), loose),
]

REDUCTIONS = [
    *[(f"jnp.{f.__name__}", f, F(4, 6)) for f in (
        jnp.sum, jnp.prod, jnp.max, jnp.min, jnp.mean, jnp.var, jnp.std, jnp.median, jnp.ptp, jnp.argmax, jnp.argmin,
        jnp.nansum, jnp.nanmean, jnp.nanmax, jnp.cumsum, jnp.cumprod, jnp.count_nonzero)],
    *[(f"jnp.{f.__name__} axis", functools.partial(f, axis=1), F(4, 6)) for f in (
        jnp.sum, jnp.prod, jnp.max, jnp.mean, jnp.var, jnp.median, jnp.argmax, jnp.argmin, jnp.cumsum, jnp.cumprod,
        jnp.sort, jnp.argsort, jnp.diff)],
    ("jnp.any all", lambda b: (b.any(0), b.all(1)), B(4, 6)),
    ("jnp.sum int", lambda x: x.sum(0), I(4, 6)),
    ("jnp.sum complex", lambda z: z.sum(0), C(4, 6)),
    ("jnp.average", lambda x, w: jnp.average(x, 1, w), F(4, 6), P(6)),
    ("jnp.percentile", lambda x: jnp.percentile(x, 30.0), F(25)),
    ("jnp.quantile", lambda x: jnp.quantile(x, jnp.array([0.1, 0.5]), axis=0), F(9, 3)),
    ("jnp.histogram", lambda x: jnp.histogram(x, 5), F(50)),
    ("jnp.bincount", lambda x: jnp.bincount(x, length=10), N(30)),
    ("jnp.trapezoid", jnp.trapezoid, F(9)),
    ("jnp.cov", jnp.cov, F(3, 9)),
    ("jnp.corrcoef", jnp.corrcoef, F(3, 9)),
    ("lax.cummax cummin", lambda x: (lax.cummax(x), lax.cummin(x), lax.cumlogsumexp(x)), F(9)),
    ("lax.cumlogsumexp complex", lambda z: lax.cumlogsumexp(z), C(7, 3)),
    ("lax.cumsum reverse", lambda x: lax.cumsum(x, 1, reverse=True), F(3, 9)),
    ("lax.reduce_window", lambda x: lax.reduce_window(x, -jnp.inf, lax.max, (2, 3), (1, 2), "SAME"), F(5, 8)),
    ("lax.reduce variadic", lambda x, i: lax.reduce((x, i), (-jnp.inf, 0), lambda a, b: (
        jnp.where(a[0] > b[0], a[0], b[0]), jnp.where(a[0] > b[0], a[1], b[1])), (0,)), F(9), I(9)),
    ("lax.associative_scan", lambda x: lax.associative_scan(jnp.multiply, x), P(9)),
    ("lax.top_k", lambda x: lax.top_k(x, 3), F(4, 9)),
    ("lax.sort two keys", lambda a, b, x: lax.sort((a, b, x), num_keys=2), I(20), I(20), F(20)),
    ("jnp.sort descending", lambda x: jnp.sort(x, descending=True), F(20)),
    ("jnp.lexsort", lambda a, b: jnp.lexsort((a, b)), I(12), I(12)),
    ("jnp.unique", lambda x: jnp.unique(x, size=8, fill_value=0), I(20)),
    ("jnp.searchsorted", lambda a, x: jnp.searchsorted(jnp.sort(a), x), F(16), F(5)),
    ("jnp.digitize", lambda x, a: jnp.digitize(x, jnp.sort(a)), F(9), F(5)),
    ("jnp.nonzero", lambda x: jnp.nonzero(x > 0, size=6), F(12)),
    ("jnp.convolve", jnp.convolve, F(9), F(4)),
    ("jnp.correlate", jnp.correlate, F(9), F(4)),
]

SHAPES = [
    ("jnp.reshape", lambda x: x.reshape(2, -1), F(4, 6)),
    ("jnp.transpose", lambda x: x.transpose(2, 0, 1), F(2, 3, 4)),
    ("jnp.concatenate", lambda x, y: jnp.concatenate([x, y, x], 1), F(3, 2), F(3, 5)),
    ("jnp.stack", lambda x, y: jnp.stack([x, y], 1), F(3, 2), F(3, 2)),
    ("jnp.split", lambda x: jnp.split(x, 3, 1), F(2, 9)),
    ("jnp.tile", lambda x: jnp.tile(x, (2, 3)), F(2, 3)),
    ("jnp.repeat", lambda x: jnp.repeat(x, 3, 1), F(2, 3)),
    ("jnp.repeat array", lambda x: jnp.repeat(x, jnp.array([1, 0, 2]), total_repeat_length=3), F(3)),
    ("jnp.flip", lambda x: jnp.flip(x, (0, 1)), F(2, 3)),
    ("jnp.roll", lambda x: jnp.roll(x, (1, -2), (0, 1)), F(3, 4)),
    ("jnp.rot90", jnp.rot90, F(3, 4)),
    ("jnp.pad", lambda x: jnp.pad(x, ((1, 2), (0, 3)), constant_values=7), F(3, 4)),
    *[(f"jnp.pad {mode}", functools.partial(jnp.pad, pad_width=2, mode=mode), F(4, 5))
      for mode in ("reflect", "symmetric", "edge", "wrap", "mean", "linear_ramp")],
    ("lax.pad interior", lambda x: lax.pad(x, 9.0, ((1, -1, 2), (-1, 2, 1))), F(3, 4)),
    ("jnp.broadcast_to", lambda x: jnp.broadcast_to(x, (4, 2, 3)), F(2, 1)),
    ("jnp.squeeze expand", lambda x: jnp.expand_dims(x.squeeze(1), (0, 2)), F(3, 1, 4)),
    ("jnp.moveaxis", lambda x: jnp.moveaxis(x, 0, 2), F(2, 3, 4)),
    ("jnp.diag", lambda x: (jnp.diag(x), jnp.diag(x[0], 1), jnp.trace(x)), F(4, 4)),
    ("jnp.tril triu", lambda x: (jnp.tril(x), jnp.triu(x, 1)), F(4, 5)),
    ("jnp.eye arange linspace", lambda x: (jnp.eye(3) * x, jnp.arange(5) * x, jnp.linspace(0, x, 7)), F()),
    ("jnp.meshgrid", jnp.meshgrid, F(3), F(4)),
    ("jnp.indices", lambda x: jnp.indices((2, 3)) + x, I()),
    ("jnp.vander", jnp.vander, F(4)),
    ("slices", lambda x: (x[1:, ::2], x[::-1, -1], x[..., None, 2]), F(4, 6)),
    ("index array", lambda x, i: x[i], F(9, 3), I(5)),
    ("index pairs", lambda x, i, j: x[i, j], F(9, 9), I(5), I(5)),
    ("index mask", lambda x: jnp.where(x > 0, x, 0)[jnp.array([2, 0])], F(4, 3)),
    ("jnp.take clip", lambda x, i: jnp.take(x, i, 1, mode="clip"), F(3, 9), I(4, 2, low=-20, high=20)),
    ("jnp.take fill", lambda x, i: jnp.take(x, i, 0, mode="fill"), F(3, 9), I(4, low=-20, high=20)),
    ("jnp.take_along_axis", lambda x, i: jnp.take_along_axis(x, i, 1), F(3, 9), I(3, 2, low=0, high=9)),
    ("at set", lambda x, i, y: x.at[i].set(y), F(9), np.array([1, 5, 7], np.int32), F(3)),
    ("at add", lambda x, i, y: x.at[i].add(y), F(9, 2), I(6, low=0, high=9), F(6, 2)),
    ("at multiply", lambda x, i, y: x.at[i].multiply(y), F(9), np.array([1, 5, 7], np.int32), F(3)),
    ("at max min", lambda x, i, y: (x.at[i].max(y), x.at[i].min(y)), F(9), I(6, low=0, high=9), F(6)),
    ("at get drop", lambda x, i, y: x.at[i].add(y, mode="drop"), F(9), I(6, low=-20, high=20), F(6)),
    ("lax.dynamic_slice", lambda x, i: lax.dynamic_slice(x, (i, i + 1), (2, 3)), F(5, 7), I()),
    ("lax.dynamic_update_slice", lambda x, y, i: lax.dynamic_update_slice(x, y, (i, 2)), F(5, 7), F(2, 2), I()),
    ("lax.dynamic_index_in_dim", lambda x, i: lax.dynamic_index_in_dim(x, i, 1), F(5, 7), N()),
    ("lax.rev", lambda x: lax.rev(x, (0, 2)), F(2, 3, 4)),
    ("jnp.apply_along_axis", lambda x: jnp.apply_along_axis(jnp.cumsum, 0, x), F(4, 3)),
    ("jnp.piecewise", lambda x: jnp.piecewise(x, [x < 0, x > 1], [lambda y: -y, lambda y: y * y, 0.5]), F(9)),
    ("jnp.kron", jnp.kron, F(2, 3), F(3, 2)),
    ("jnp.polyval", jnp.polyval, F(4), F(7)),
    ("jnp.cross", jnp.cross, F(4, 3), F(4, 3)),
]

PRODUCTS = [
    ("matmul", jnp.matmul, F(5, 7), F(7, 3)),
    ("matmul batched", jnp.matmul, F(2, 1, 5, 7), F(3, 7, 2)),
    ("matmul int", jnp.matmul, I(5, 7), I(7, 3)),
    ("matmul complex", jnp.matmul, C(5, 7), C(7, 3)),
    ("matmul f16", jnp.matmul, H(5, 7), H(7, 3), dict(rtol=4e-3, atol=4e-3)),
    ("matmul bf16 into f32", lambda a, b: lax.dot(
        a.astype(jnp.bfloat16), b.astype(jnp.bfloat16), preferred_element_type=jnp.float32), F(9, 17), F(17, 8)),
    ("dot vectors", jnp.dot, F(9), F(9)),
    ("outer", jnp.outer, F(4), F(5)),
    ("inner", jnp.inner, F(3, 5), F(4, 5)),
    ("tensordot", lambda a, b: jnp.tensordot(a, b, ((1, 0), (0, 2))), F(2, 3, 4), F(3, 5, 2)),
    ("vdot", jnp.vdot, C(6), C(6)),
    ("einsum attention", lambda q, k: jnp.einsum("bqhd,bkhd->bhqk", q, k), F(2, 5, 3, 4), F(2, 6, 3, 4)),
    ("einsum trace", lambda a: jnp.einsum("iij->j", a), F(4, 4, 3)),
    ("einsum three", lambda a, b, c: jnp.einsum("ij,jk,kl->il", a, b, c), F(3, 4), F(4, 5), F(5, 2)),
    ("lax.dot_general", lambda a, b: lax.dot_general(a, b, (((2,), (1,)), ((0,), (2,)))), F(3, 4, 5), F(6, 5, 3)),
    ("linalg.multi_dot", lambda a, b, c: jnp.linalg.multi_dot([a, b, c]), F(3, 4), F(4, 5), F(5, 2)),
    ("linalg.matrix_power", lambda a: jnp.linalg.matrix_power(a, 3), F(4, 4), loose),
    *[(f"conv {d}d", lambda x, k, d=d: lax.conv(x, k, (1,) * d, "SAME"), F(2, 3, *[7, 6, 5][:d]), F(4, 3, *[3] * d), loose)
      for d in (1, 2, 3)],
    ("conv strides dilation", lambda x, k: lax.conv_general_dilated(
        x, k, (2, 1), ((1, 2), (0, 1)), lhs_dilation=(1, 2), rhs_dilation=(2, 1)), F(2, 3, 9, 8), F(4, 3, 3, 2), loose),
    ("conv NHWC", lambda x, k: lax.conv_general_dilated(
        x, k, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")), F(2, 8, 8, 3), F(3, 3, 3, 6), loose),
    ("conv depthwise", lambda x, k: lax.conv_general_dilated(
        x, k, (1, 1), "VALID", feature_group_count=4), F(2, 4, 6, 6), F(8, 1, 3, 3), loose),
    ("conv batch groups", lambda x, k: lax.conv_general_dilated(
        x, k, (1, 1), "VALID", batch_group_count=2), F(4, 3, 5, 5), F(6, 3, 2, 2), loose),
    ("conv transpose", lambda x, k: lax.conv_transpose(x, k, (2, 2), "SAME"), F(2, 5, 5, 3), F(3, 3, 3, 4), loose),
    ("jsp.convolve2d", lambda a, b: jsp.signal.convolve2d(a, b), F(6, 7), F(3, 2), loose),
    ("fft", jnp.fft.fft, C(3, 12), loose),
    ("ifft", jnp.fft.ifft, C(3, 10), loose),
    ("rfft", jnp.fft.rfft, F(3, 11), loose),
    ("irfft", lambda z: jnp.fft.irfft(z, 12), C(3, 7), loose),
    ("fft2", jnp.fft.fft2, C(4, 6), loose),
    ("fftshift", jnp.fft.fftshift, F(3, 5)),
    ("jsp.dct", lambda x: jsp.fft.dct(x, norm="ortho"), F(3, 8), loose),
]

LINALG = [
    ("cholesky", jnp.linalg.cholesky, SPD(5), loose),
    ("cho_solve", lambda a, b: jsp.linalg.cho_solve(jsp.linalg.cho_factor(a), b), SPD(5), F(5, 2), loose),
    ("solve", jnp.linalg.solve, SPD(5), F(5, 2), loose),
    ("inv", jnp.linalg.inv, SPD(4), loose),
    ("det slogdet", lambda a: (jnp.linalg.det(a), jnp.linalg.slogdet(a)), F(4, 4), loose),
    ("lu", jsp.linalg.lu, F(4, 4), loose),
    ("lu_factor", jsp.linalg.lu_factor, F(5, 5), loose),
    ("qr", lambda a: jnp.abs(jnp.linalg.qr(a)[1]), F(6, 4), loose),
    ("qr product", lambda a: jnp.matmul(*jnp.linalg.qr(a)), F(6, 4), loose),
    ("eigh values", lambda a: jnp.linalg.eigvalsh(a + a.T), F(5, 5), loose),
    ("eigh product", lambda a: (lambda w, x: (x * w) @ x.T)(*jnp.linalg.eigh(a + a.T)), F(5, 5), loose),
    ("eigvals sums", lambda a: jnp.sum(jnp.linalg.eigvals(a)), F(4, 4), loose),
    ("svd values", lambda a: jnp.linalg.svd(a, compute_uv=False), F(5, 3), loose),
    ("svd product", lambda a: (lambda u, s, w: (u * s) @ w)(*jnp.linalg.svd(a, full_matrices=False)), F(5, 3), loose),
    ("pinv", jnp.linalg.pinv, F(5, 3), loose),
    ("lstsq", lambda a, b: jnp.linalg.lstsq(a, b)[0], F(6, 3), F(6), loose),
    ("matrix_rank", jnp.linalg.matrix_rank, F(4, 4)),
    ("norm", lambda a: (jnp.linalg.norm(a), jnp.linalg.norm(a, 1), jnp.linalg.norm(a, axis=1)), F(4, 5)),
    ("linalg.cond", jnp.linalg.cond, SPD(4), loose),
    ("expm", jsp.linalg.expm, 0.3 * F(4, 4), loose),
    ("solve_triangular", lambda a, b: jsp.linalg.solve_triangular(a, b, lower=True), np.tril(SPD(5)), F(5, 2), loose),
    ("solve_triangular trans", lambda a, b: jsp.linalg.solve_triangular(a, b, trans=1), np.triu(SPD(5)), F(5), loose),
    ("tridiagonal_solve", lambda a, b, c, d: lax.linalg.tridiagonal_solve(a, 4 + b, c, d), P(6), P(6), P(6), F(6, 2), loose),
    ("toeplitz", jsp.linalg.toeplitz, F(4)),
    ("block_diag", jsp.linalg.block_diag, F(2, 3), F(3, 1)),
    ("batched cholesky", v(jnp.linalg.cholesky), np.stack([SPD(3), SPD(3)]), loose),
    ("batched solve", v(jnp.linalg.solve), np.stack([SPD(3), SPD(3)]), F(2, 3, 2), loose),
    ("grad det", g(jnp.linalg.det), F(3, 3), loose),
    ("grad solve", g(jnp.linalg.solve), SPD(3), F(3, 2), loose),
    ("grad cholesky", g(jnp.linalg.cholesky), SPD(4), loose),
    ("grad svd values", g(lambda a: jnp.linalg.svd(a, compute_uv=False)), F(4, 3), loose),
    ("grad eigvalsh", g(lambda a: jnp.linalg.eigvalsh(a + a.T)), F(4, 4), loose),
    ("hessenberg", lambda a: jnp.abs(lax.linalg.hessenberg(a)[0]), F(4, 4), loose),
]

NEURAL = [
    *[(f"nn.{f.__name__}", f, F(4, 6)) for f in (
        nn.relu, nn.relu6, nn.sigmoid, nn.softplus, nn.silu, nn.gelu, nn.elu, nn.selu, nn.celu, nn.leaky_relu,
        nn.log_sigmoid, nn.soft_sign, nn.hard_tanh, nn.hard_sigmoid, nn.hard_swish, nn.mish, nn.squareplus,
        nn.softmax, nn.log_softmax, nn.logsumexp, nn.standardize, nn.glu)],
    *[(f"grad nn.{f.__name__}", g(lambda x, f=f: f(x) ** 2), F(4, 6), loose) for f in (
        nn.relu, nn.sigmoid, nn.softplus, nn.silu, nn.gelu, nn.elu, nn.selu, nn.softmax, nn.log_softmax, nn.mish)],
    ("nn.gelu exact", lambda x: nn.gelu(x, approximate=False), F(9), loose),
    ("nn.one_hot", lambda i: nn.one_hot(i, 7), I(5)),
    ("attention", lambda q, k, w: nn.softmax(q @ k.swapaxes(1, 2) / 2) @ w, F(2, 5, 4), F(2, 6, 4), F(2, 6, 3), loose),
    ("dot_product_attention", nn.dot_product_attention, F(2, 5, 2, 4), F(2, 5, 2, 4), F(2, 5, 2, 4), loose),
    ("grouped causal attention", lambda q, k, w: nn.dot_product_attention(q, k, w, is_causal=True),
        F(2, 5, 4, 8), F(2, 7, 2, 8), F(2, 7, 2, 8), loose),
    ("biased masked attention", lambda q, k, w, b, m: nn.dot_product_attention(q, k, w, b, m),
        F(2, 5, 2, 8), F(2, 6, 2, 8), F(2, 6, 2, 8), F(1, 2, 5, 6), I(2, 1, 1, 6, low=0, high=2).astype(bool), loose),
    ("windowed attention", lambda q, k, w: nn.dot_product_attention(q, k, w, local_window_size=(2, 1)),
        F(1, 40, 2, 8), F(1, 40, 2, 8), F(1, 40, 2, 8), loose),
    ("layer norm", lambda x, s: (x - x.mean(-1, keepdims=True)) * s / jnp.sqrt(x.var(-1, keepdims=True) + 1e-5), F(4, 9), F(9)),
    ("rms norm", lambda x: x * lax.rsqrt(jnp.mean(x * x, -1, keepdims=True) + 1e-6), F(4, 9)),
    ("max pool", lambda x: lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID"), F(2, 6, 6, 3)),
    ("grad max pool", g(lambda x: lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID") ** 2), F(2, 6, 6, 3)),
    ("grad average pool", g(lambda x: lax.reduce_window(x, 0.0, lax.add, (1, 3, 3, 1), (1, 2, 2, 1), "SAME") ** 2), F(2, 6, 6, 3), loose),
    ("grad conv", g(lambda k, x: lax.conv(x, k, (1, 1), "SAME") ** 2), F(4, 3, 3, 3), F(2, 3, 6, 6), dict(rtol=1e-3, atol=1e-3)),
    ("grad conv strided input", g(lambda x, k: lax.conv(x, k, (2, 2), "VALID") ** 2), F(2, 3, 7, 7), F(4, 3, 3, 3), dict(rtol=1e-3, atol=1e-3)),
    ("embedding", lambda e, i: e[i], F(20, 4), I(3, 5, low=0, high=20)),
    ("grad embedding", g(lambda e, i: e[i] ** 2), F(20, 4), I(3, 5, low=0, high=20)),
    ("cross entropy", lambda x, i: -jnp.take_along_axis(nn.log_softmax(x), i[:, None], 1).mean(), F(6, 4), I(6, low=0, high=4)),
    ("grad cross entropy", g(lambda x, i: -jnp.take_along_axis(nn.log_softmax(x), i[:, None], 1)), F(6, 4), I(6, low=0, high=4)),
    ("initializers", key(lambda k: nn.initializers.glorot_uniform()(k, (4, 5))), KEY()),
    ("orthogonal", key(lambda k: (lambda q: q @ q.T)(nn.initializers.orthogonal()(k, (4, 4)))), KEY(), loose),
    ("lstm step", lambda w, h, c, x: (lambda z: (jnp.tanh(nn.sigmoid(z[0]) * jnp.tanh(z[1]) + nn.sigmoid(z[2]) * c)))(
        jnp.split(jnp.concatenate([h, x], 1) @ w, 3, 1)), F(7, 9), F(2, 3), F(2, 3), F(2, 4)),
    ("image.resize", lambda x: jax.image.resize(x, (8, 6, 3), "bilinear"), F(4, 4, 3), loose),
    ("image.resize nearest", lambda x: jax.image.resize(x, (3, 7, 3), "nearest"), F(4, 4, 3)),
]


def mlp(p, x):
    return jnp.tanh(x @ p["w"] + p["b"]) @ p["v"]


def scan_rnn(w, xs):
    return lax.scan(lambda h, x: (jnp.tanh(h @ w + x),) * 2, jnp.zeros(xs.shape[1:]), xs)


def newton(a):
    return lax.while_loop(lambda x: jnp.abs(x * x - a) > 1e-4, lambda x: 0.5 * (x + a / x), a)


@jax.custom_jvp
def softplus(x):
    return jnp.log1p(jnp.exp(x))


softplus.defjvps(lambda t, y, x: t * nn.sigmoid(x))

MLP = {"w": F(4, 8), "b": F(8), "v": F(8, 2)}
TRANSFORMATIONS = [
    *[(f"grad {f.__name__}", g(f), P(7), loose) for f in (
        jnp.sin, jnp.tanh, jnp.exp, jnp.log, jnp.sqrt, jnp.cbrt, jnp.arctan, jnp.sinh, jnp.log1p, jnp.expm1,
        jnp.cumsum, jnp.cumprod, jnp.sort, jnp.max, jnp.prod, jnp.var, jsp.special.gammaln, jsp.special.erf,
        jsp.special.digamma, jnp.linalg.norm)],
    *[(f"grad 2 {f.__name__}", g(f, (0, 1)), P(7), P(7), loose) for f in (
        jnp.power, jnp.arctan2, jnp.divide, jnp.hypot, jnp.logaddexp, jnp.maximum, jnp.convolve)],
    ("grad mlp", jax.grad(lambda p, x: jnp.sum(mlp(p, x) ** 2)), MLP, F(5, 4), loose),
    ("value_and_grad", jax.value_and_grad(lambda p, x: jnp.mean(mlp(p, x))), MLP, F(5, 4), loose),
    ("hessian", jax.hessian(lambda x: jnp.sum(jnp.tanh(x) ** 3)), F(5), loose),
    ("jacfwd", jax.jacfwd(lambda x: jnp.sin(x) * x[0]), F(5), loose),
    ("jacrev", jax.jacrev(lambda x: jnp.cumprod(x)), F(5), loose),
    ("jvp", lambda x, t: jax.jvp(jnp.tanh, (x,), (t,)), F(5), F(5)),
    ("vjp", lambda x, t: jax.vjp(lambda y: y @ y.T, x)[1](t), F(3, 4), F(3, 3), loose),
    ("vmap matmul", v(lambda a, b: a @ b, (0, None)), F(3, 4, 5), F(5, 2)),
    ("vmap grad", v(jax.grad(lambda x: jnp.sum(jnp.sin(x) ** 2))), F(3, 4)),
    ("vmap dynamic_slice", v(lambda x, i: lax.dynamic_slice(x, (i,), (2,))), F(3, 6), I(3)),
    ("vmap scatter", v(lambda x, i: x.at[i].add(1.0)), F(3, 6), I(3, 2, low=0, high=6)),
    ("vmap cond", v(lambda p, x: lax.cond(p, jnp.sin, jnp.cos, x)), B(4), F(4)),
    ("vmap while", v(newton), P(4), loose),
    ("checkpoint", g(jax.checkpoint(lambda x: jnp.sin(jnp.sin(x)))), F(5)),
    ("grad custom_jvp", g(softplus), F(5)),
    ("stop_gradient", g(lambda x: x * lax.stop_gradient(x)), F(5)),
    ("nested jit", jax.jit(lambda x: jax.jit(jnp.sin)(x) + jax.jit(jnp.cos)(x)), F(5)),
    ("grad of grad", jax.grad(jax.grad(lambda x: jnp.sin(x) ** 3)), np.float32(0.7), loose),
    ("scan", scan_rnn, F(3, 3), F(6, 2, 3), loose),
    ("grad scan", g(lambda w, xs: scan_rnn(w, xs)[1] ** 2), F(3, 3), F(6, 2, 3), dict(rtol=1e-3, atol=1e-3)),
    ("scan reverse", lambda xs: lax.scan(lambda c, x: (c + x, c * x), 0.0, xs, reverse=True), F(7), loose),
    ("scan unrolled", lambda xs: lax.scan(lambda c, x: (c * 0.5 + x, c), 0.0, xs, unroll=3), F(8)),
    ("while_loop", newton, np.float32(7), loose),
    ("fori_loop", lambda x: lax.fori_loop(0, 10, lambda i, y: y * 0.9 + i, x), F(4), loose),
    ("fori_loop dynamic", lambda n, x: lax.fori_loop(0, n, lambda i, y: y + i, x), N(), F(4)),
    ("cond", lambda p, x: lax.cond(p, lambda y: y * 2, lambda y: y - 1, x), np.bool_(True), F(4)),
    ("switch", lambda i, x: lax.switch(i, [jnp.sin, jnp.cos, jnp.tanh], x), I(), F(4)),
    ("map", lambda xs: lax.map(lambda x: jnp.sum(x) * x, xs), F(4, 3), loose),
    ("select_n", lambda i, a, b, c: lax.select_n(i, a, b, c), I(5, low=0, high=3), F(5), F(5), F(5)),
    ("momentum step", lambda p, m, x: jax.tree.map(
        lambda q, w, d: (q - 0.1 * (0.9 * w + d), 0.9 * w + d), p, m, jax.grad(lambda r: jnp.sum(mlp(r, x) ** 2))(p)),
        MLP, MLP, F(5, 4), loose),
    ("adam step", lambda p, m, s, d: (lambda m, s: p - 1e-3 * (m / 0.1) / (jnp.sqrt(s / 1e-3) + 1e-8))(
        0.9 * m + 0.1 * d, 0.999 * s + 1e-3 * d * d), F(9), F(9), P(9), F(9)),
    ("odeint step", lambda x: (lambda f: x + (f(x) + 2 * f(x + 0.05 * f(x)) + f(x + 0.1 * f(x))) / 40)(jnp.sin), F(6)),
    ("map_coordinates", lambda x, c: jsp.ndimage.map_coordinates(x, [c, c], 1), F(6, 6), P(5), loose),
]

RANDOM = [
    ("random.bits", key(lambda k: jr.bits(k, (5,))), KEY()),
    ("random.split", key(lambda k: jr.key_data(jr.split(k, 3))), KEY()),
    ("random.fold_in", key(lambda k, i: jr.key_data(jr.fold_in(k, i))), KEY(), np.uint32(5)),
    ("random.uniform", key(lambda k: jr.uniform(k, (3, 5))), KEY()),
    ("random.normal", key(lambda k: jr.normal(k, (3, 5))), KEY(), loose),
    ("random.randint", key(lambda k: jr.randint(k, (7,), -5, 20)), KEY()),
    ("random.bernoulli", key(lambda k: jr.bernoulli(k, 0.3, (9,))), KEY()),
    ("random.permutation", key(lambda k: jr.permutation(k, 11)), KEY()),
    ("random.choice", key(lambda k, x: jr.choice(k, x, (4,), replace=False)), KEY(), F(9)),
    ("random.categorical", key(lambda k, x: jr.categorical(k, x)), KEY(), F(4, 6)),
    ("random.gumbel", key(lambda k: jr.gumbel(k, (5,))), KEY(), loose),
    ("random.exponential", key(lambda k: jr.exponential(k, (5,))), KEY(), loose),
    ("random.laplace", key(lambda k: jr.laplace(k, (5,))), KEY(), loose),
    ("random.logistic", key(lambda k: jr.logistic(k, (5,))), KEY(), loose),
    ("random.cauchy", key(lambda k: jr.cauchy(k, (5,))), KEY(), loose),
    ("random.gamma", key(lambda k, a: jr.gamma(k, a)), KEY(), P(5), loose),
    ("random.beta", key(lambda k, a: jr.beta(k, a, 2.0)), KEY(), P(5), loose),
    ("random.dirichlet", key(lambda k, a: jr.dirichlet(k, a)), KEY(), P(5), loose),
    ("random.poisson", key(lambda k, a: jr.poisson(k, a)), KEY(), P(5)),
    ("random.truncated_normal", key(lambda k: jr.truncated_normal(k, -1, 1, (5,))), KEY(), loose),
    ("random.multivariate_normal", key(lambda k, m, c: jr.multivariate_normal(k, m, c)), KEY(), F(3), SPD(3), loose),
    ("random.t", key(lambda k: jr.t(k, 3.0, (5,))), KEY(), loose),
    ("random.rademacher", key(lambda k: jr.rademacher(k, (5,))), KEY()),
    ("random.ball", key(lambda k: jr.ball(k, 3, shape=(4,))), KEY(), loose),
    ("random in scan", key(lambda k: lax.scan(lambda c, q: (c + jr.normal(q), c), 0.0, jr.split(k, 9))), KEY(), loose),
    ("rng_bit_generator", lambda s: lax.rng_bit_generator(s, (6,), algorithm=lax.RandomAlgorithm.RNG_THREE_FRY),
     np.array([1, 2, 3, 4], np.uint32)),
    ("dropout", key(lambda k, x: jnp.where(jr.bernoulli(k, 0.7, x.shape), x / 0.7, 0)), KEY(), F(4, 5)),
]



def train(name, model, optimizer, *inputs):
    """One training step of a Flax model: the gradient of its mean square, taken by an Optax optimizer."""
    variables = model.init(jr.key(0), *inputs)
    params = variables.pop("params")

    def step(params, state, variables, *inputs):
        def loss(p):
            results, changed = model.apply({"params": p, **variables}, *inputs, mutable=list(variables))
            return sum(jnp.mean(leaf ** 2) for leaf in jax.tree.leaves(results)), changed

        (value, changed), gradient = jax.value_and_grad(loss, has_aux=True)(params)
        updates, state = optimizer.update(gradient, state, params)
        return optax.apply_updates(params, updates), state, changed, value

    return (name, step, params, optimizer.init(params), variables, *inputs, dict(rtol=1e-3, atol=1e-3))


def layers(*parts):
    return linen.Sequential(parts)


TRAINING = [
    train("flax mlp, sgd", layers(linen.Dense(8), nn.relu, linen.Dense(3)), optax.sgd(0.1), F(5, 4)),
    train("flax mlp, momentum", layers(linen.Dense(8), nn.tanh, linen.Dense(3)), optax.sgd(0.1, 0.9), F(5, 4)),
    train("flax mlp, nesterov", layers(linen.Dense(8), nn.gelu, linen.Dense(3)), optax.sgd(0.1, 0.9, True), F(5, 4)),
    train("flax mlp, adam", layers(linen.Dense(8), nn.silu, linen.Dense(3)), optax.adam(1e-3), F(5, 4)),
    train("flax mlp, adamw", layers(linen.Dense(8), nn.elu, linen.Dense(3)), optax.adamw(1e-3), F(5, 4)),
    train("flax mlp, rmsprop", layers(linen.Dense(8), nn.relu, linen.Dense(3)), optax.rmsprop(1e-3), F(5, 4)),
    train("flax mlp, adagrad", layers(linen.Dense(8), nn.relu, linen.Dense(3)), optax.adagrad(1e-2), F(5, 4)),
    train("flax mlp, lamb", layers(linen.Dense(8), nn.relu, linen.Dense(3)), optax.lamb(1e-3), F(5, 4)),
    train("flax mlp, lion", layers(linen.Dense(8), nn.tanh, linen.Dense(3)), optax.lion(1e-3), F(5, 4)),
    train("flax mlp, clipped", layers(linen.Dense(8), nn.relu, linen.Dense(3)),
          optax.chain(optax.clip_by_global_norm(0.1), optax.adam(optax.cosine_decay_schedule(1e-2, 9))), F(5, 4)),
    train("flax conv net", layers(
        linen.Conv(4, (3, 3)), nn.relu, lambda x: linen.max_pool(x, (2, 2), (2, 2)), lambda x: x.reshape(x.shape[0], -1),
        linen.Dense(3)), optax.adam(1e-3), F(2, 8, 8, 1)),
    train("flax conv transpose", layers(linen.ConvTranspose(3, (3, 3), (2, 2))), optax.sgd(0.1), F(2, 4, 4, 2)),
    train("flax batch norm", layers(linen.Dense(6), linen.BatchNorm(use_running_average=False)), optax.sgd(0.1), F(7, 4)),
    train("flax layer norm", layers(linen.Dense(6), linen.LayerNorm()), optax.sgd(0.1), F(7, 4)),
    train("flax group norm", layers(linen.Conv(4, (3, 3)), linen.GroupNorm(2)), optax.sgd(0.1), F(2, 5, 5, 2)),
    train("flax embedding", layers(linen.Embed(11, 5), linen.Dense(3)), optax.adam(1e-3), I(4, 6, low=0, high=11)),
    train("flax attention", linen.MultiHeadDotProductAttention(2), optax.sgd(0.1), F(2, 5, 8)),
    train("flax lstm", linen.RNN(linen.LSTMCell(5)), optax.adam(1e-3), F(2, 6, 3)),
    train("flax gru", linen.RNN(linen.GRUCell(5)), optax.adam(1e-3), F(2, 6, 3)),
    *[(f"optax.{f.__name__}", f, F(6, 4), I(6, low=0, high=4), loose) for f in (
        optax.softmax_cross_entropy_with_integer_labels,)],
    *[(f"optax.{f.__name__}", f, F(9), F(9), loose) for f in (
        optax.huber_loss, optax.l2_loss, optax.log_cosh, optax.cosine_distance, optax.hinge_loss)],
    ("optax.ctc_loss", optax.ctc_loss, F(2, 7, 5), np.zeros((2, 7), np.float32), I(2, 3, low=1, high=5),
     np.zeros((2, 3), np.float32), loose),
]

EDGE_VALUES = np.array([complex(x, y) for x, y in itertools.product((0, -0.0, 1, np.inf, np.nan), repeat=2)], np.complex64)
EDGES = [
    ("grad eigh vectors", g(lambda a: jnp.abs(jnp.linalg.eigh(a + a.T)[1]) * jnp.arange(4)), F(4, 4), loose),
    *[(f"cholesky of NaN at {at}, upper={upper}", functools.partial(jnp.linalg.cholesky, upper=upper), BAD(5, at), loose)
      for at in ((0, 0), (2, 2), (4, 4), (3, 1)) for upper in (False, True)],
    ("cholesky indefinite", jnp.linalg.cholesky, np.stack([SPD(3), -SPD(3), np.zeros((3, 3), np.float32)]), loose),
    ("inv of NaN", jnp.linalg.inv, BAD(4, (3, 1)), loose),
    ("inv singular", jnp.linalg.inv, np.zeros((3, 3), np.float32)),
    ("qr of NaN", jnp.linalg.qr, BAD(5, (2, 2)), loose),
    ("det of NaN", jnp.linalg.slogdet, BAD(4, (2, 2)), loose),
    *[(f"LAPACK call, layouts {given} {wanted}", lapack_qr(given, wanted), F(2, 4, 3), loose)
      for given, wanted in itertools.product(itertools.permutations(range(3)), ((0, 1, 2), (0, 2, 1), (2, 0, 1)))],
    *[(f"jnp.{f.__name__} at the edges", lambda z, f=f: (f(z).real, f(z).imag), EDGE_VALUES) for f in (
        jnp.cos, jnp.sin, jnp.tan, jnp.cosh, jnp.sinh, jnp.tanh, jnp.exp, jnp.expm1)],
    # What cancels in exp(a log x - x - lgamma(a)) is a matter of rounding, in JAX as here.
    ("jsp.gammainc far out", lambda x: jsp.special.gammainc(200.0, x), np.float32([150, 190, 200, 210, 250]),
     dict(rtol=3e-4, atol=3e-4)),
]

FUNCTIONS = (ELEMENTWISE + SPECIAL + REDUCTIONS + SHAPES + PRODUCTS + LINALG + NEURAL + TRANSFORMATIONS + RANDOM +
             TRAINING + EDGES)
