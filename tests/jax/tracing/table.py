"""The functions of the rows of table.h, as JAX has them, and their arguments.

A row is its name, a function, and what makes its arguments of a random generator: shapes stand for normal floats.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.scipy import linalg, special


def normal(*shape, scale=1.0):
    return lambda rng: rng.normal(size=shape) * scale


def between(low, high, *shape):
    return lambda rng: rng.uniform(low, high, size=shape)


def integers(low, high, *shape, dtype=np.int32):
    return lambda rng: rng.integers(low, high, size=shape, dtype=dtype)


def complexes(*shape):
    return lambda rng: rng.normal(size=shape) + 1j * rng.normal(size=shape)


def constant(value):
    return lambda rng: np.array(value)


def permutation(size):
    return lambda rng: rng.permutation(size).astype(np.int32)


V = normal(5)
M = normal(2, 3)
POSITIVE = between(0.2, 3, 5)
UNIT = between(-0.9, 0.9, 5)
NOT_WHOLE = constant([-2.3, -0.7, 0.4, 1.6, 2.8])

ELEMENTWISE = [
    ("abs", jnp.abs, V),
    ("acos", jnp.arccos, UNIT),
    ("acosh", jnp.arccosh, between(1.1, 4, 5)),
    ("asin", jnp.arcsin, UNIT),
    ("asinh", jnp.arcsinh, V),
    ("atan", jnp.arctan, V),
    ("atanh", jnp.arctanh, UNIT),
    ("cbrt", jnp.cbrt, POSITIVE),
    ("ceil", jnp.ceil, NOT_WHOLE),
    ("cos", jnp.cos, V),
    ("cosh", jnp.cosh, V),
    ("digamma", special.digamma, POSITIVE),
    ("erf", special.erf, V),
    ("erf_inv", special.erfinv, UNIT),
    ("erfc", special.erfc, V),
    ("exp", jnp.exp, V),
    ("exp2", jnp.exp2, V),
    ("expm1", jnp.expm1, V),
    ("floor", jnp.floor, NOT_WHOLE),
    ("lgamma", special.gammaln, POSITIVE),
    ("log", jnp.log, POSITIVE),
    ("log10", jnp.log10, POSITIVE),
    ("log1p", jnp.log1p, POSITIVE),
    ("log2", jnp.log2, POSITIVE),
    ("logistic", jax.nn.sigmoid, V),
    ("negate", jnp.negative, V),
    ("reciprocal", jnp.reciprocal, POSITIVE),
    ("round", jnp.round, NOT_WHOLE),
    ("rsqrt", lax.rsqrt, POSITIVE),
    ("sign", jnp.sign, V),
    ("sin", jnp.sin, V),
    ("sinh", jnp.sinh, V),
    ("sqrt", jnp.sqrt, POSITIVE),
    ("square", jnp.square, V),
    ("tan", jnp.tan, V),
    ("tanh", jnp.tanh, V),
    ("trunc", jnp.trunc, NOT_WHOLE),
    ("add", jnp.add, M, normal(3)),
    ("atan2", jnp.arctan2, M, M),
    ("divide", jnp.divide, M, between(1, 2, 3)),
    ("floor_divide", jnp.floor_divide, NOT_WHOLE, constant([0.9, -0.8, 0.7, -0.6, 0.5])),
    ("hypot", jnp.hypot, M, M),
    ("log_add_exp", jnp.logaddexp, M, normal(3)),
    ("maximum", jnp.maximum, M, normal(3)),
    ("maximum_of_equals", jnp.maximum, constant([1.0, 2.0, 3.0]), constant([1.0, 3.0, 3.0])),
    ("minimum", jnp.minimum, M, normal(3)),
    ("mod", jnp.mod, NOT_WHOLE, constant([0.9, -0.8, 0.7, -0.6, 0.5])),
    ("multiply", jnp.multiply, M, normal(3)),
    ("next_after", jnp.nextafter, V, V),
    ("power", jnp.power, POSITIVE, V),
    ("power_of_number", lambda x: jnp.power(x, 3.0), V),
    ("remainder", lax.rem, NOT_WHOLE, constant([0.9, -0.8, 0.7, -0.6, 0.5])),
    ("subtract", jnp.subtract, M, normal(3)),
    ("polygamma", lambda x: special.polygamma(2, x), POSITIVE),
    ("zeta", lambda x: special.zeta(3.0, x), POSITIVE),
    ("degrees", lambda x: (jnp.deg2rad(x), jnp.rad2deg(x)), V),
    ("heaviside", lambda x: jnp.heaviside(x, 0.25), constant([-1.0, 0.0, 2.0])),
    ("is_close", lambda x, y: jnp.isclose(x, y, 1e-5, 1e-8).astype(x.dtype), constant([1.0, 2.0, np.inf, np.nan]),
     constant([1.000001, 2.1, np.inf, np.nan])),
    ("clip", jnp.clip, M, constant(-0.5), constant([0.2, 0.3, 0.4])),
    ("where", lambda x, y, z: jnp.where(x > 0, y, z), M, M, normal(3)),
    ("compare", lambda x, y: (x < y).astype(x.dtype), M, normal(3)),
    ("integer_division", lambda x, y: jnp.floor_divide(x, y) + jnp.mod(x, y), integers(-9, 9, 5),
     constant(np.array([2, -3, 4, -5, 6], np.int32))),
    ("bits", lambda x, y: (x & y) + ((x | y) ^ (~x >> 1)) + (y << 2), integers(-99, 99, 5), integers(-99, 99, 5)),
    ("complex", lax.complex, M, M),
    ("complex_abs", jnp.abs, complexes(5)),
    ("complex_exp", jnp.exp, complexes(5)),
    ("complex_log", jnp.log, complexes(5)),
    ("complex_parts", lambda x: (jnp.real(x), jnp.imag(x)), complexes(5)),
    ("complex_sqrt", jnp.sqrt, complexes(5)),
    ("complex_tanh", jnp.tanh, complexes(5)),
    ("complex_angle", jnp.angle, complexes(5)),
    ("complex_divide", lambda x, y: jnp.conj(x) / y, complexes(5), complexes(5)),
    ("complex_multiply", jnp.multiply, complexes(2, 3), complexes(3)),
]


def diagonals(x):
    return jnp.diagonal(x), jnp.diagonal(x, 1), jnp.diag(x[0])


def logcumsumexp(x):
    return lax.cumlogsumexp(x, axis=1)


def set_rows(x, y, z):
    return x.at[:, y].set(z)


def nan_reductions(x):
    return jnp.nansum(x, 1), jnp.nanmean(x, 1), jnp.nanmax(x, 1), jnp.nanmin(x)


WITH_NAN = constant([[1.0, np.nan, 3.0], [2.0, 5.0, -1.0]])

STRUCTURE = [
    ("all_axes", jnp.sum, M),
    ("sum", lambda x: jnp.sum(x, 1), M),
    ("sum_keeping_dims", lambda x: jnp.sum(x, -1, keepdims=True), M),
    ("prod", lambda x: jnp.prod(x, 1), M),
    ("max", lambda x: jnp.max(x, 1), M),
    ("max_of_equals", lambda x: jnp.max(x, 1), constant([[1.0, 3.0, 3.0], [2.0, 2.0, 2.0]])),
    ("min", lambda x: jnp.min(x, 0), M),
    ("mean", lambda x: jnp.mean(x, 1), M),
    ("var", lambda x: jnp.var(x, 1, ddof=1), M),
    ("std", lambda x: jnp.std(x, 1), M),
    ("log_sum_exp", lambda x: special.logsumexp(x, 1), M),
    ("argmax", lambda x: (lax.argmax(x, 1, jnp.int32), lax.argmin(x, 0, jnp.int32)), M),
    ("cum_sum", lambda x: jnp.cumsum(x, 1), M),
    ("cum_sum_reverse", lambda x: lax.cumsum(x, 1, reverse=True), M),
    ("cum_prod", lambda x: jnp.cumprod(x, 1), M),
    ("cum_max", lambda x: lax.cummax(x, 1), M),
    ("cum_min", lambda x: lax.cummin(x, 0), M),
    ("cum_log_sum_exp", logcumsumexp, M),
    ("diff", jnp.diff, M),
    ("broadcast", lambda x: jnp.broadcast_to(x, (4, 2, 3)), M),
    ("reshape", lambda x: jnp.reshape(x, (3, -1)), M),
    ("transpose", jnp.transpose, M),
    ("swap_axes", lambda x: jnp.swapaxes(x, 0, -1), normal(2, 3, 4)),
    ("move_axis", lambda x: jnp.moveaxis(x, 0, 2), normal(2, 3, 4)),
    ("expand", lambda x: x + x[None], M),
    ("slice", lambda x: x[0:2:1, 1:3:2], M),
    ("flip", lambda x: jnp.flip(x, 1), M),
    ("roll", lambda x: jnp.roll(x, -2, 1), M),
    ("tile", lambda x: jnp.tile(x, (2, 1, 2)), M),
    ("repeat", lambda x: jnp.repeat(x, 3, 1), M),
    ("pad", lambda x: jnp.pad(x, ((1, 2), (0, 1)), constant_values=7), M),
    ("pad_edge", lambda x: jnp.pad(x, ((1, 2), (0, 1)), "edge"), M),
    ("pad_reflect", lambda x: jnp.pad(x, ((1, 1), (2, 1)), "reflect"), M),
    ("pad_symmetric", lambda x: jnp.pad(x, ((1, 1), (2, 1)), "symmetric"), M),
    ("pad_wrap", lambda x: jnp.pad(x, ((1, 1), (2, 1)), "wrap"), M),
    ("concatenate", lambda x, y: jnp.concatenate([x, y, x], 1), M, normal(2, 2)),
    ("stack", lambda x, y: jnp.stack([x, y], 1), M, M),
    ("split", lambda x: jnp.split(x, 3, 1), M),
    ("tril", lambda x: (jnp.tril(x, -1), jnp.triu(x, 1)), normal(3, 3)),
    ("diagonal", diagonals, M),
    ("linspace", lambda x: x * jnp.linspace(-1, 2, 3) + jnp.eye(2, 3, 1), M),
    ("at_number", lambda x: x[1, :], M),
    ("at_ranges", lambda x: x[None, ::-1, 0:3:2], M),
    ("at_tensor", lambda x, y: x[:, y], M, integers(-3, 3, 4)),
    ("at_two_tensors", lambda x, y, z: x[y, z], M, integers(0, 2, 2, 2), integers(0, 3, 2)),
    ("at_scalar_tensor", lambda x, y: x[y], M, integers(0, 2)),
    ("set_at", lambda x, y: x.at[:, 0:3:2].set(y), M, normal(2, 2)),
    ("set_at_tensor", set_rows, M, permutation(3), normal(2, 3)),
    ("add_at", lambda x, y, z: x.at[:, y].add(z), M, integers(0, 3, 4), normal(2, 4)),
    ("multiply_at", lambda x, y, z: x.at[:, y].multiply(z, unique_indices=True), M, permutation(3), normal(2, 3)),
    ("max_at", lambda x, y, z: x.at[:, y].max(z), M, permutation(3), normal(2, 3)),
    ("min_at", lambda x, y, z: x.at[:, y].min(z), M, permutation(3), normal(2, 3)),
    ("take", lambda x, y: jnp.take(x, y, 1), M, integers(0, 3, 2, 2)),
    ("take_along_axis", lambda x, y: jnp.take_along_axis(x, y, 1), M, integers(0, 3, 2, 4)),
    ("dynamic_slice", lambda x, y: lax.dynamic_slice_in_dim(x, y, 2, 1), M, integers(0, 2)),
    ("dynamic_update_slice", lambda x, y, z: lax.dynamic_update_slice(x, y, (jnp.int32(0), z)), M, normal(1, 2),
     integers(0, 2)),
    ("segment_sum", lambda x, y: jax.ops.segment_sum(x, y, 3), normal(4, 2), integers(0, 3, 4)),
    ("sort", lambda x: jnp.sort(x, 1), normal(2, 5)),
    ("sort_descending", lambda x: jnp.sort(x, 0, descending=True), normal(5, 2)),
    ("argsort", lambda x: jnp.argsort(x, 1).astype(jnp.int32), normal(2, 5)),
    ("sort_together", lambda x, y: lax.sort((x, y), num_keys=1), normal(2, 5), normal(2, 5)),
    ("top_k", lambda x: lax.top_k(x, 2), normal(2, 5)),
    ("search_sorted", lambda x, y: jnp.searchsorted(x, y).astype(jnp.int32), constant([-1.0, 0.0, 0.5, 2.0]), M),
    ("matmul", jnp.matmul, M, normal(3, 4)),
    ("matmul_of_batches", jnp.matmul, normal(2, 1, 2, 3), normal(4, 3, 2)),
    ("matrix_times_vector", jnp.matmul, M, normal(3)),
    ("dot", jnp.dot, M, normal(2, 3, 2)),
    ("inner", jnp.inner, M, normal(4, 3)),
    ("outer", jnp.outer, V, normal(3)),
    ("vdot", jnp.vdot, M, M),
    ("tensordot", lambda x, y: jnp.tensordot(x, y, ((1,), (0,))), M, normal(3, 2, 2)),
    ("kron", jnp.kron, M, normal(2, 2)),
    ("einsum", lambda x, y: jnp.einsum("bij,bjk->kbi", x, y), normal(2, 2, 3), normal(2, 3, 4)),
    ("einsum_diagonal", lambda x: jnp.einsum("ii->i", x), normal(3, 3)),
    ("einsum_of_three", lambda x, y, z: jnp.einsum("ij,jk,k->i", x, y, z), M, normal(3, 4), normal(4)),
    ("meshgrid", lambda x, y: jnp.meshgrid(x, y), normal(2), normal(3)),
    ("meshgrid_of_a_matrix", lambda x, y: jnp.meshgrid(x, y, indexing="ij"), normal(2), normal(3)),
    ("convolve", jnp.convolve, normal(5), normal(3)),
    ("convolve_same", lambda x, y: jnp.convolve(x, y, "same"), normal(2), normal(4)),
    ("correlate", jnp.correlate, normal(5), normal(3)),
    ("interp", jnp.interp, constant([-3.0, -0.7, 0.4, 1.6, 2.8]), constant([-1.0, 0.5, 1.0, 2.0]), normal(4)),
    ("trapezoid", lambda x: jnp.trapezoid(x, dx=0.5), M),
    ("trapezoid_at", lambda x, y: jnp.trapezoid(x, y, axis=1), M, normal(3)),
    ("polyval", jnp.polyval, normal(4), V),
    ("median", lambda x: jnp.median(x, 1), normal(3, 4)),
    ("median_of_all", jnp.median, M),
    ("quantile", lambda x: jnp.quantile(x, 0.3, 0, keepdims=True), normal(5, 2)),
    ("average", lambda x, y: jnp.average(x, 1, y), M, between(0.5, 2, 3)),
    ("ptp", lambda x: jnp.ptp(x, 1), M),
    ("count_nonzero", lambda x: jnp.count_nonzero(x, 0).astype(np.int32), constant([[1.0, 0.0], [2.0, 0.0]])),
    ("nan_reductions", nan_reductions, WITH_NAN),
    ("nan_deviations", lambda x: (jnp.nanvar(x, 0, keepdims=True), jnp.nanstd(x, 1, ddof=1)), WITH_NAN),
    ("cov", jnp.cov, normal(3, 5)),
    ("corrcoef", jnp.corrcoef, normal(3, 5)),
    ("histogram", lambda x: jnp.histogram(x, 4, (-1, 1.5)), constant([-2.0, -1.0, 0.3, 0.4, 1.4, 1.5, 9.0])),
    ("bincount", lambda x: jnp.bincount(x, length=5).astype(np.int32), integers(0, 7, 9)),
    ("einsum_ellipsis", lambda x, y: jnp.einsum("...ij,...jk->...ik", x, y), normal(2, 2, 3), normal(2, 3, 2)),
]


def cross_entropy(x, y):
    return special.logsumexp(x, -1) - jnp.take_along_axis(x, y[..., None], -1)[..., 0]


def layer_norm(x, y, z):
    return jax.nn.standardize(x, epsilon=1e-6) * y + z


def rms_norm(x, y):
    return x * lax.rsqrt(jnp.mean(x * x, -1, keepdims=True) + 1e-6) * y


def batch_norm(x, mean, variance, scale, bias):
    return (x - mean) * (lax.rsqrt(variance + 1e-5) * scale) + bias


def convolve(x, y, layout=("NHWC", "HWIO", "NHWC"), **options):
    return lax.conv_general_dilated(x, y, dimension_numbers=layout,
                                    **{"window_strides": (1,) * (x.ndim - 2), "padding": "SAME", **options})


def max_pool(x):
    return lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 1, 2, 1), "SAME")


def avg_pool(x):
    return lax.reduce_window(x, 0.0, lax.add, (1, 2, 2, 1), (1, 2, 2, 1), "VALID") / 4


def attention(x, y, z, is_causal=False, scale=None):
    # In double precision, as the row's arguments are; jax.nn takes its softmax in single.
    y, z = (jnp.repeat(a, x.shape[2] // y.shape[2], 2) for a in (y, z))
    logits = jnp.einsum("BTNH,BSNH->BNTS", x, y).astype(jnp.float32)
    logits *= 1 / np.sqrt(x.shape[3]) if scale is None else scale
    if is_causal:
        logits = jnp.where(jnp.tril(jnp.ones(logits.shape[2:], bool)), logits, -0.7 * np.finfo(np.float32).max)
    return jnp.einsum("BNTS,BSNH->BTNH", jax.nn.softmax(logits).astype(z.dtype), z)


LOOSE = dict(rtol=2e-5, atol=2e-5)

NETWORKS = [
    ("relu", jax.nn.relu, V),
    ("relu_at_zero", jax.nn.relu, constant([0.0, -0.0, 1.0])),
    ("relu6", jax.nn.relu6, normal(5, scale=5)),
    ("leaky_relu", jax.nn.leaky_relu, V),
    ("elu", jax.nn.elu, V),
    ("celu", lambda x: jax.nn.celu(x, 2.0), V),
    ("selu", jax.nn.selu, V),
    ("gelu", jax.nn.gelu, V),
    ("gelu_exact", lambda x: jax.nn.gelu(x, approximate=False), V),
    ("log_sigmoid", jax.nn.log_sigmoid, V),
    ("silu", jax.nn.silu, V),
    ("mish", jax.nn.mish, V),
    ("softplus", jax.nn.softplus, V),
    ("soft_sign", jax.nn.soft_sign, V),
    ("hard_tanh", jax.nn.hard_tanh, normal(5, scale=2)),
    ("hard_sigmoid", jax.nn.hard_sigmoid, normal(5, scale=3)),
    ("hard_silu", jax.nn.hard_silu, normal(5, scale=3)),
    ("glu", lambda x: jax.nn.glu(x, 1), normal(2, 6)),
    ("softmax", jax.nn.softmax, M),
    ("log_softmax", lambda x: jax.nn.log_softmax(x, 0), M),
    ("standardize", lambda x: jax.nn.standardize(x, epsilon=1e-5), normal(2, 7)),
    ("one_hot", lambda x: jax.nn.one_hot(x, 4, dtype=jnp.float64), integers(-1, 5, 3)),
    ("cross_entropy", cross_entropy, normal(4, 3), integers(0, 3, 4)),
    ("cross_entropy_of_probabilities", lambda x, y: -jnp.sum(y * jax.nn.log_softmax(x), -1), M, between(0, 1, 2, 3)),
    ("layer_norm", layer_norm, normal(2, 7), normal(7), normal(7)),
    ("rms_norm", rms_norm, normal(2, 7), normal(7)),
    ("batch_norm", batch_norm, normal(4, 3), normal(3), between(0.5, 2, 3), normal(3), normal(3)),
    ("convolution", convolve, normal(2, 5, 4, 2), normal(3, 2, 2, 3)),
    ("convolution_of_groups", lambda x, y: convolve(x, y, window_strides=(2, 1), padding=((1, 0), (2, 1)),
                                                    rhs_dilation=(1, 2), feature_group_count=2),
     normal(1, 5, 6, 4), normal(2, 2, 2, 6)),
    ("convolution_transposed", lambda x, y: convolve(x, y, padding=((0, 0), (0, 0)), lhs_dilation=(2, 3)), normal(1, 3, 3, 2),
     normal(2, 2, 2, 1)),
    ("convolution_channels_first", lambda x, y: convolve(x, y, ("NCHW", "OIHW", "NCHW")), normal(1, 2, 4, 3),
     normal(3, 2, 2, 3)),
    ("convolution_1d", lambda x, y: convolve(x, y, ("NWC", "WIO", "NWC"), window_strides=(2,)), normal(2, 7, 2),
     normal(3, 2, 3)),
    ("max_pool", max_pool, normal(1, 4, 5, 2)),
    ("avg_pool", avg_pool, normal(1, 4, 5, 2)),
    ("attention", attention, normal(1, 3, 4, 2), normal(1, 5, 2, 2), normal(1, 5, 2, 2), LOOSE),
    ("attention_causal", lambda x, y, z: attention(x, y, z, True, 0.5), normal(1, 4, 2, 2), normal(1, 4, 2, 2),
     normal(1, 4, 2, 2), LOOSE),
]


def scan(x, w):
    def step(h, e):
        h = jnp.tanh(h * w + e)
        return h, h * e
    return lax.scan(step, jnp.zeros(3), x)


def scan_reverse(x):
    return lax.scan(lambda h, e: (h * 0.5 + e * e, h), jnp.zeros(3), x, reverse=True)


def scan_of_scan(x):
    def outer(c, row):
        last, every = lax.scan(lambda c, e: (jnp.sin(c + e), c * e), c, row)
        return last, jnp.sum(every)
    return lax.scan(outer, 0.5, x)


def associative_scan(x, y):
    return lax.associative_scan(lambda a, b: (a[0] * b[0], a[1] * b[0] + b[1]), (x, y))


@jax.custom_jvp
def custom_jvp(x):
    return jnp.sin(x) * x


custom_jvp.defjvp(lambda x, dx: (custom_jvp(x[0]), dx[0] * jnp.cos(x[0]) * 3))


@jax.custom_vjp
def custom_vjp(x, y):
    return jnp.sin(x) * y


custom_vjp.defvjp(lambda x, y: (jnp.sin(x) * y, (jnp.cos(x), y)), lambda r, g: (r[0] * g, r[1] * g * 2))


def switch(i, x):
    return lax.switch(i, [jnp.sin, jnp.square, jnp.exp], x)


CONTROL = [
    ("scan", scan, normal(4, 3), normal(3)),
    ("scan_reverse", scan_reverse, normal(4, 3)),
    ("scan_of_scan", scan_of_scan, normal(3, 4)),
    ("fori_loop", lambda x: lax.fori_loop(1, 5, lambda i, v: jnp.sin(v) * i, x), V),
    ("while_loop", lambda x: lax.while_loop(lambda v: jnp.sum(v) < 100, lambda v: v * v + 1, x), V),
    ("cond", lambda x, y: lax.cond(x[0] > 0, lambda a, b: jnp.sin(a) * b, lambda a, b: a - b, x, y), V, V),
    ("switch", switch, integers(-1, 4), V),
    ("map", lambda x: lax.map(lambda row: jnp.sin(row) * jnp.sum(row), x), M),
    ("associative_scan", associative_scan, normal(7), normal(7)),
    ("checkpoint", jax.checkpoint(lambda x: jnp.sin(jnp.sin(x))), V),
    ("custom_jvp", custom_jvp, V),
    ("custom_vjp", custom_vjp, V, V),
    ("stop_gradient", lambda x: x * lax.stop_gradient(jnp.sin(x)), V),
    ("called", jax.jit(lambda x: jnp.sin(x) * x), V),
    ("gradient", jax.grad(lambda x: jnp.sum(jnp.sin(x) * x)), V),
    ("jac_fwd", jax.jacfwd(lambda x: jnp.sin(x) * jnp.sum(x)), normal(3)),
    ("jac_rev", jax.jacrev(lambda x: jnp.sin(x) * jnp.sum(x)), normal(3)),
    ("hessian", jax.hessian(lambda x: jnp.sum(jnp.sin(x) * jnp.sum(x))), normal(3)),
    ("vmap", jax.vmap(lambda x: jnp.sin(x) * jnp.sum(x), 1, 1), M),
]



def definite(x):
    return x @ x.T + jnp.eye(3)


def svd(x):
    u, s, vh = jnp.linalg.svd(x, full_matrices=False)
    return s, (u * s[None, :] ** 2) @ vh


SQUARE = normal(3, 3)


ALGEBRA = [
    ("cholesky", lambda x: jnp.linalg.cholesky(definite(x)), SQUARE),
    ("solve_triangular", lambda x, y: linalg.solve_triangular(x, y, lower=True), SQUARE, normal(3, 2)),
    ("solve_triangular_right", lambda x, y: lax.linalg.triangular_solve(x, y, unit_diagonal=True), SQUARE,
     normal(2, 3)),
    ("lu", lambda x: lax.linalg.lu(x)[0], normal(4, 4)),
    ("lu_wide", lambda x: lax.linalg.lu(x)[::2], normal(2, 4)),
    ("lu_tall", lambda x: lax.linalg.lu(x)[::2], normal(4, 2)),
    ("qr", jnp.linalg.qr, SQUARE),
    ("qr_tall", jnp.linalg.qr, normal(4, 2)),
    ("eigh", jnp.linalg.eigh, SQUARE),
    ("svd", svd, SQUARE),
    ("svd_tall", svd, normal(4, 2)),
    ("svd_wide", svd, normal(2, 4)),
    ("solve", jnp.linalg.solve, SQUARE, normal(3, 2)),
    ("solve_vector", jnp.linalg.solve, SQUARE, normal(3)),
    ("inverse", jnp.linalg.inv, SQUARE),
    ("determinant", jnp.linalg.det, normal(4, 4)),
    ("slogdet", jnp.linalg.slogdet, normal(4, 4)),
    ("gamma", lambda x: jax.random.gamma(jax.random.key(7), x), between(0.1, 9, 6)),
    ("log_gamma", lambda x: jax.random.loggamma(jax.random.key(7), x), between(0.01, 9, 6)),
    ("beta", lambda x, y: jax.random.beta(jax.random.key(7), x, y), between(0.1, 9, 4), between(0.1, 9, 4)),
    ("dirichlet", lambda x: jax.random.dirichlet(jax.random.key(7), x), between(0.1, 9, 4)),
    ("student_t", lambda x: jax.random.t(jax.random.key(7), x), between(0.5, 9, 4)),
    ("norm", lambda x: jnp.linalg.norm(x, axis=1), M),
    ("trace", lambda x: jnp.trace(x, 1), normal(3, 4)),
    ("cross", jnp.cross, M, normal(3)),
    ("matrix_power", lambda x: (jnp.linalg.matrix_power(x, 5), jnp.linalg.matrix_power(x, -2)), SQUARE),
    ("fft", lambda x: jnp.fft.fft(x, axis=0), normal(4, 3)),
    ("ifft", jnp.fft.ifft, normal(2, 5)),
    ("rfft", jnp.fft.rfft, normal(2, 5)),
    ("irfft", lambda x: jnp.fft.irfft(x, 5), complexes(2, 3)),
    ("fft2", jnp.fft.fft2, normal(2, 4, 3)),
    ("fft_of_complex", jnp.fft.fft, complexes(2, 5)),
]

ROWS = ELEMENTWISE + STRUCTURE + NETWORKS + CONTROL + ALGEBRA

# Rows of one result that has the shape of their arguments, whatever that is, and is not large.
COMPOSABLE = {name: function for name, function, *_ in ROWS if name in {
    "abs", "add", "asinh", "atan", "checkpoint", "clip", "cos", "cum_max", "cum_sum", "cum_sum_reverse", "custom_jvp",
    "elu", "erf", "flip", "gelu", "hypot", "leaky_relu", "log_add_exp", "log_softmax", "logistic", "maximum",
    "minimum", "mish", "multiply", "negate", "relu", "roll", "silu", "sin", "soft_sign", "softmax", "softplus", "sort",
    "standardize", "stop_gradient", "subtract", "tanh", "where"}}
ARITIES = {name: sum(map(callable, arguments)) for name, _, *arguments in ROWS}


def random_composition(seed):
    """A row whose function is a random composition of others, and its program as the file `program` has it."""
    rng = np.random.default_rng(seed)
    steps = []
    for i in range(rng.integers(4, 12)):
        name = sorted(COMPOSABLE)[rng.integers(len(COMPOSABLE))]
        # Rather the newest values than old ones.
        values = [int(max(i + 2 - rng.geometric(0.4), 0)) for _ in range(ARITIES[name])]
        steps.append((name, values))

    def function(*x):
        values = list(x)
        for name, numbers in steps:
            values.append(COMPOSABLE[name](*(values[number] for number in numbers)))
        return values[-2:]
    program = "".join(f"{name} {' '.join(map(str, numbers))}\n" for name, numbers in steps)
    return (f"random_{seed}", function, M, M), program
