"""Values in the programs of random_programs.py: arguments, what kinds of values there are, and which one a line takes."""

import jax.numpy as jnp
import ml_dtypes
import numpy as np

FLOATS = ["float32"] * 8 + ["float16", "bfloat16", "bfloat16", "float64"]
INTEGERS = ["int32"] * 4 + ["int8", "uint8", "int16", "uint16", "uint32", "int64", "uint64"]
RARE = ["float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz", "float8_e4m3b11fnuz", "int4", "uint4",
        "float8_e3m4", "float8_e4m3", "float4_e2m1fn"]
COMPLEX = ["complex64", "complex64", "complex128"]
DTYPES = FLOATS * 3 + INTEGERS + ["bool"] * 3 + COMPLEX + RARE[:6]
SIZES = [0, 1, 1, 2, 2, 3, 3, 4, 5, 7, 8, 9, 16, 17, 33]

SPECIAL = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, -2.0, 1e30, -1e30, 1e-30, 100.0, 1.5, 3.0]


def one_of(random, values):
    return values[random.integers(len(values))]


def draw_shape(random, rank=None):
    rank = one_of(random, [0, 1, 1, 1, 2, 2, 2, 3, 3, 4]) if rank is None else rank
    while True:
        shape = tuple(int(one_of(random, SIZES)) for _ in range(rank))
        if 0 in shape and random.random() < 0.8:
            continue
        if np.prod(shape) <= 3000:
            return shape


def draw_reals(random, shape):
    kind = random.integers(8)
    if kind == 0:
        return random.uniform(-1, 1, shape)
    if kind == 1:
        return random.integers(-4, 5, shape) * one_of(random, [0.25, 0.5, 1.0])
    if kind == 2:
        return np.array(SPECIAL)[random.integers(len(SPECIAL), size=shape)]
    if kind == 3:
        return random.normal(size=shape) * 10.0 ** random.integers(-4, 5, shape)
    if kind == 4:
        return random.uniform(0, 1, shape)
    return random.normal(size=shape) * one_of(random, [1.0, 1.0, 3.0])


def draw_array(random, name, shape):
    dtype = np.dtype(getattr(ml_dtypes, name, None) or name)
    with np.errstate(all="ignore"):
        if name == "bool":
            return np.asarray(random.random(shape) < 0.5)
        if jnp.issubdtype(dtype, jnp.integer):
            low, high = int(jnp.iinfo(dtype).min), int(jnp.iinfo(dtype).max)
            if random.random() < 0.7:
                low, high = max(low, -9), min(high, 9)
            kind = np.uint64 if low >= 0 else np.int64
            return np.asarray(random.integers(low, high, shape, dtype=kind, endpoint=True)).astype(dtype)
        if jnp.issubdtype(dtype, jnp.complexfloating):
            return np.asarray(draw_reals(random, shape) + 1j * draw_reals(random, shape)).astype(dtype)
        return np.asarray(draw_reals(random, shape)).astype(dtype)


def draw_argument(random):
    return draw_array(random, one_of(random, DTYPES), draw_shape(random))


# What kinds of values there are.

def is_float(aval):
    return jnp.issubdtype(aval.dtype, jnp.floating)


def is_full_float(aval):
    return is_float(aval) and aval.dtype.itemsize >= 2


def is_wide_float(aval):
    return is_float(aval) and aval.dtype.itemsize >= 4


def is_integer(aval):
    return jnp.issubdtype(aval.dtype, jnp.integer)


def is_byte_integer(aval):
    return is_integer(aval) and jnp.iinfo(aval.dtype).bits >= 8


def is_complex(aval):
    return jnp.issubdtype(aval.dtype, jnp.complexfloating)


def is_bool(aval):
    return aval.dtype == np.bool_


def is_number(aval):
    return not is_bool(aval)


def is_any(aval):
    return True


def pick(random, known, accepts):
    names = [name for name, aval in known.items() if accepts(aval)]
    if not names:
        return None
    # Later ones more often, so that programs are deep.
    return names[-1 - min(int(random.exponential(1.5)), len(names) - 1)]


def fellow(random, known, name):
    """Another value of the same dtype that broadcasts, or an expression for one."""
    aval = known[name]
    def fits(other):
        if other.dtype != aval.dtype or len(other.shape) > len(aval.shape):
            return False
        return all(a == b or b == 1 for a, b in zip(aval.shape[::-1], other.shape[::-1]))
    others = [other for other, it in known.items() if fits(it)]
    other = one_of(random, others)
    if other == name and random.random() < 0.6:
        return f"({name}[::-1])" if aval.shape else name, [name]
    return other, [other]


def with_one_nan(known, name):
    """The value with every NaN positive: which sign a computed NaN has is said nowhere."""
    if not is_float(known[name]) or known[name].dtype.name == "float4_e2m1fn":
        return name
    return f"jnp.where(jnp.isnan({name}), jnp.nan, {name})"


# JAX takes subnormal numbers for zero where it computes with them, and the daemon does not.
WITHOUT_SUBNORMALS = "(lambda t: jnp.where(jnp.abs(t) < jnp.finfo(t.dtype).tiny, 0, t))"
