"""Elementwise functions over their whole range, special values included, within a bound in ulp."""

import jax
import jax.numpy as jnp
import jax.scipy.special as special
import ml_dtypes
import numpy as np
from jax import lax

from row import Row

SPECIAL = np.array([0, -0.0, 1, -1, 2, -2, 0.5, -0.5, np.inf, -np.inf, np.nan, 1e-45, -1e-45, 1.1754944e-38,
                    -1.1754944e-38, 3.4028235e38, -3.4028235e38, 16777216, 16777217], np.float32)


def all_floats(step=4099):
    """Every so many of all float32 numbers, by their bits, and those around 1, where many functions are near 0."""
    values = np.arange(0, 1 << 32, step, dtype=np.uint64).astype(np.uint32).view(np.float32)
    around = np.float32(1) + np.arange(-20000, 20000, dtype=np.float32) * np.float32(2 ** -23)
    return np.concatenate([SPECIAL, values, around, np.linspace(-110, 110, 200_001).astype(np.float32)])


FLOATS = all_floats()
POSITIVE = FLOATS[~(FLOATS < 0)]
UNIT = FLOATS[~(np.abs(FLOATS) > 1)]
# Each 16-bit number.
HALVES = np.arange(1 << 16, dtype=np.uint32).astype(np.uint16)
F16, BF16 = HALVES.view(np.float16).astype(np.float32), HALVES.view(ml_dtypes.bfloat16).astype(np.float32)

rng = np.random.default_rng(8)
MIXED = np.concatenate([rng.choice(FLOATS, 200_000), np.repeat(SPECIAL, SPECIAL.size)])
OTHERS = np.concatenate([rng.choice(FLOATS, 200_000), np.tile(SPECIAL, SPECIAL.size)])
# Pairs whose power neither overflows nor vanishes.
BASES = np.exp(rng.uniform(-80, 80, 300_000)).astype(np.float32)
EXPONENTS = (rng.uniform(-87, 88, 300_000) / np.log(BASES.astype(np.float64))).astype(np.float32)
SMALL = rng.uniform(-4, 4, 200_000).astype(np.float32)
SHAPES = rng.uniform(0.05, 60, 20_000).astype(np.float32)
POINTS = rng.uniform(0, 80, 20_000).astype(np.float32)
SHARES = rng.uniform(0, 1, 20_000).astype(np.float32)


def longdouble(f):
    return lambda *x: f(*[np.asarray(v).astype(np.longdouble) for v in x])


WIDE = np.concatenate([rng.uniform(-30, 30, 100_000), np.ldexp(rng.uniform(-1, 1, 100_000), rng.integers(-300, 300, 100_000))])

ROWS = [
    *[Row(name, f, (x,), most_ulp=bound) for name, f, x, bound in [
        ("exp", jnp.exp, FLOATS, 0.9), ("expm1", jnp.expm1, FLOATS, 1.5), ("log", jnp.log, POSITIVE, 0.8),
        ("log2", jnp.log2, POSITIVE, 2), ("log10", jnp.log10, POSITIVE, 2), ("log1p", jnp.log1p, FLOATS, 0.9),
        ("sqrt", jnp.sqrt, POSITIVE, 0.5), ("rsqrt", lax.rsqrt, POSITIVE, 1.3), ("cbrt", jnp.cbrt, FLOATS, 1),
        ("sin", jnp.sin, FLOATS, 0.6), ("cos", jnp.cos, FLOATS, 0.6), ("tan", jnp.tan, FLOATS, 1),
        ("asin", jnp.arcsin, UNIT, 2), ("acos", jnp.arccos, UNIT, 2), ("atan", jnp.arctan, FLOATS, 1),
        ("tanh", jnp.tanh, FLOATS, 2.5), ("asinh", jnp.arcsinh, FLOATS, 1.5),
        ("acosh", jnp.arccosh, POSITIVE, 3.5), ("atanh", jnp.arctanh, UNIT, 1.5),
        # As long as e^-x is finite.
        ("logistic", jax.nn.sigmoid, FLOATS[~(FLOATS < -87)], 3), ("erf", lax.erf, FLOATS, 1.1),
        # JAX's own formulas, which are no nearer: e^(x ln 2), halves of exponentials, and polynomials.
        ("exp2", jnp.exp2, FLOATS, 70), ("sinh", jnp.sinh, FLOATS, 25), ("cosh", jnp.cosh, FLOATS, 25),
        ("erfc", lax.erfc, FLOATS[~(FLOATS > 9)], 70), ("erf_inv", lax.erf_inv, UNIT, 70),
        ("square", jnp.square, FLOATS, 0.5),
        ("reciprocal", jnp.reciprocal, FLOATS, 0.5), ("floor", jnp.floor, FLOATS, 0), ("ceil", jnp.ceil, FLOATS, 0),
        ("round", jnp.round, FLOATS, 0), ("sign", jnp.sign, FLOATS, 0), ("abs", jnp.abs, FLOATS, 0)]],
    *[Row(f"{name} f16", f, (F16,), dtype="float16", most_ulp=0.51) for name, f in [
        ("exp", jnp.exp), ("log", jnp.log), ("tanh", jnp.tanh), ("sqrt", jnp.sqrt), ("erf", lax.erf)]],
    *[Row(f"{name} bf16", f, (BF16,), dtype="bfloat16", most_ulp=0.51) for name, f in [
        ("exp", jnp.exp), ("log", jnp.log), ("tanh", jnp.tanh), ("rsqrt", lax.rsqrt), ("sin", jnp.sin)]],
    *[Row(f"{name} f64", f, (x,), dtype="float64", most_ulp=bound, truth=longdouble(truth))
      for name, f, truth, x, bound in [
          ("exp", jnp.exp, np.exp, WIDE, 1), ("log", jnp.log, np.log, np.abs(WIDE), 1),
          ("sin", jnp.sin, np.sin, WIDE, 1), ("tanh", jnp.tanh, np.tanh, WIDE, 2),
          ("log1p", jnp.log1p, np.log1p, np.abs(WIDE), 1.5), ("expm1", jnp.expm1, np.expm1, WIDE[:100_000], 1.5)]],
    *[Row(name, f, (MIXED, OTHERS), most_ulp=bound) for name, f, bound in [
        ("add", jnp.add, 0.5), ("multiply", jnp.multiply, 0.5), ("divide", jnp.divide, 0.5),
        ("atan2", jnp.arctan2, 2), ("maximum", jnp.maximum, 0), ("minimum", jnp.minimum, 0)]],
    Row("remainder", lax.rem, (MIXED[:2000], OTHERS[:2000]), most_ulp=0,
        truth=lambda x, y: np.fmod(np.asarray(x), np.asarray(y))),
    Row("power", jnp.power, (BASES, EXPONENTS), most_ulp=1),
    Row("power of 3", lambda x: x ** 3, (SMALL,), most_ulp=1.5),
    Row("power of -2", lambda x: x ** -2, (SMALL,), most_ulp=1.5),
    # Functions of several steps: compared with JAX's errors.
    *[Row(name, f, arguments) for name, f, arguments in [
        ("gelu", jax.nn.gelu, (SMALL,)), ("exact gelu", lambda x: jax.nn.gelu(x, approximate=False), (SMALL,)),
        ("silu", jax.nn.silu, (SMALL,)), ("softplus", jax.nn.softplus, (SMALL * 5,)), ("selu", jax.nn.selu, (SMALL,)),
        ("elu", jax.nn.elu, (SMALL,)), ("mish", jax.nn.mish, (SMALL,)), ("log sigmoid", jax.nn.log_sigmoid, (SMALL * 5,)),
        ("logaddexp", jnp.logaddexp, (SMALL, SMALL[::-1])), ("hypot", jnp.hypot, (SMALL, SMALL[::-1])),
        ("sinc", jnp.sinc, (SMALL,)), ("lgamma", lax.lgamma, (SHAPES,)), ("digamma", lax.digamma, (SHAPES,)),
        ("igamma", lax.igamma, (SHAPES, POINTS)), ("igammac", lax.igammac, (SHAPES, POINTS)),
        ("betainc", lax.betainc, (SHAPES, SHAPES[::-1], SHARES)), ("i0e", lax.bessel_i0e, (SMALL * 10,)),
        ("i1e", lax.bessel_i1e, (SMALL * 10,)), ("ndtri", special.ndtri, (SHARES,)), ("ndtr", special.ndtr, (SMALL,)),
        ("log_ndtr", special.log_ndtr, (SMALL * 4,)), ("entr", special.entr, (SHARES,)), ("xlogy", special.xlogy, (SHARES, SHAPES)),
        ("logit", special.logit, (SHARES,)), ("polygamma 1", lambda x: special.polygamma(1, x), (SHAPES,)),
        ("zeta", special.zeta, (SHAPES + 1.5, SHAPES[::-1])),
        ("gradient of erf_inv", jax.vmap(jax.grad(lax.erf_inv)), (SHARES * np.float32(0.98),)),
        ("gradient of logsumexp", jax.grad(lambda x: jax.nn.logsumexp(x)), (SMALL[:5000],)),
        ("complex multiply", lambda a, b: lax.complex(a, b) * lax.complex(b, a), (SMALL, SMALL[::-1])),
        ("complex divide", lambda a, b: lax.complex(a, b) / lax.complex(b, a + 1), (SMALL, SMALL[::-1])),
        ("complex exp", lambda a, b: jnp.exp(lax.complex(a, b)), (SMALL, SMALL[::-1])),
        ("complex log", lambda a, b: jnp.log(lax.complex(a, b)), (SMALL, SMALL[::-1])),
        ("complex sqrt", lambda a, b: jnp.sqrt(lax.complex(a, b)), (SMALL, SMALL[::-1])),
        ("complex abs", lambda a, b: jnp.abs(lax.complex(a, b)), (SMALL, SMALL[::-1])),
        ("complex tanh", lambda a, b: jnp.tanh(lax.complex(a, b)), (SMALL, SMALL[::-1])),
        ("complex power", lambda a, b: lax.complex(a, b) ** lax.complex(b, a), (SMALL, SMALL[::-1]))]],
]
