"""What random_programs.py draws: lines of Python that compute a value from others."""

import numpy as np

from random_values import (
    DTYPES, RARE, WITHOUT_SUBNORMALS, draw_shape, fellow, is_any, is_bool, is_byte_integer, is_complex, is_float,
    is_full_float, is_integer, is_number, is_wide_float, one_of, pick, with_one_nan)

# Families of lines: each function gives (expression, operands), or None.

REAL_UNARY = """jnp.sin jnp.cos jnp.tan jnp.sinh jnp.cosh jnp.tanh jnp.arcsin jnp.arccos jnp.arctan jnp.arcsinh
    jnp.arccosh jnp.arctanh jnp.exp jnp.exp2 jnp.expm1 jnp.log jnp.log2 jnp.log10 jnp.log1p jnp.sqrt jnp.cbrt lax.rsqrt
    jnp.square jnp.abs jnp.negative jnp.sign jnp.floor jnp.ceil jnp.trunc jnp.rint jnp.round lax.round jnp.reciprocal
    jax.nn.sigmoid jax.nn.relu jax.nn.relu6 jax.nn.softplus jax.nn.silu jax.nn.gelu jax.nn.elu jax.nn.selu jax.nn.celu
    jax.nn.leaky_relu jax.nn.hard_tanh jax.nn.hard_sigmoid jax.nn.hard_swish jax.nn.log_sigmoid jax.nn.soft_sign
    jax.nn.mish jax.nn.squareplus jax.nn.sparse_plus jnp.sinc jnp.nan_to_num jnp.deg2rad jnp.isnan jnp.isinf jnp.isfinite
    jnp.signbit jnp.spacing lax.logistic lax.erf lax.erfc lax.is_finite jnp.fabs jnp.i0 jnp.positive
    jax.nn.log_softmax jax.nn.softmax jax.nn.standardize jnp.real jnp.imag jnp.conj jnp.angle""".split()
SPECIAL_UNARY = """jsp.special.erf jsp.special.erfc jsp.special.erfinv lax.erf_inv jsp.special.digamma
    jsp.special.gammaln jsp.special.expit jsp.special.logit jsp.special.ndtr jsp.special.ndtri jsp.special.log_ndtr
    jsp.special.i0 jsp.special.i0e jsp.special.i1 jsp.special.i1e lax.bessel_i0e lax.bessel_i1e jsp.special.entr
    jsp.special.gamma jsp.special.factorial jsp.stats.norm.logpdf jsp.stats.norm.cdf jsp.stats.norm.ppf
    jsp.stats.logistic.pdf jsp.stats.expon.logpdf jsp.stats.cauchy.cdf jsp.stats.laplace.cdf""".split()
COMPLEX_UNARY = """jnp.sin jnp.cos jnp.tan jnp.sinh jnp.cosh jnp.tanh jnp.arcsin jnp.arccos jnp.arctan jnp.arcsinh
    jnp.arccosh jnp.arctanh jnp.exp jnp.expm1 jnp.log jnp.log1p jnp.sqrt lax.rsqrt jnp.square jnp.abs jnp.negative
    jnp.sign jnp.real jnp.imag jnp.conj jnp.angle jnp.reciprocal lax.logistic jnp.isnan jnp.isfinite""".split()
INTEGER_UNARY = """jnp.abs jnp.negative jnp.sign jnp.square jnp.invert lax.population_count lax.clz jnp.bitwise_not
    jax.nn.relu jnp.positive jnp.signbit""".split()
NUMBER_BINARY = "jnp.add jnp.subtract jnp.multiply lax.add lax.sub lax.mul jnp.maximum jnp.minimum".split()
REAL_BINARY = NUMBER_BINARY * 2 + """jnp.divide lax.div jnp.power lax.pow jnp.arctan2 jnp.hypot jnp.fmax jnp.fmin
    jnp.remainder jnp.fmod lax.rem jnp.floor_divide jnp.logaddexp jnp.logaddexp2 jnp.copysign jnp.heaviside
    jnp.float_power jsp.special.xlogy jsp.special.xlog1py jnp.true_divide jnp.mod""".split()
SPECIAL_BINARY = """jsp.special.gammainc jsp.special.gammaincc jsp.special.betaln jsp.special.zeta lax.igamma
    lax.igammac lax.polygamma jsp.special.kl_div jsp.special.rel_entr jsp.special.poch jnp.ldexp""".split()
INTEGER_BINARY = NUMBER_BINARY * 2 + """jnp.floor_divide lax.div lax.rem jnp.remainder jnp.fmod jnp.bitwise_and
    jnp.bitwise_or jnp.bitwise_xor jnp.left_shift jnp.right_shift lax.shift_right_logical lax.shift_right_arithmetic
    lax.shift_left jnp.gcd jnp.lcm jnp.power jnp.divide""".split()
COMPLEX_BINARY = "jnp.add jnp.subtract jnp.multiply jnp.divide lax.pow jnp.power".split()
COMPARISONS = """jnp.less jnp.less_equal jnp.greater jnp.greater_equal jnp.equal jnp.not_equal lax.eq_to lax.lt_to
    lax.le_to jnp.isclose""".split()
REDUCTIONS = """jnp.sum jnp.prod jnp.max jnp.min jnp.mean jnp.var jnp.std jnp.argmax jnp.argmin jnp.any jnp.all
    jnp.count_nonzero jnp.nansum jnp.nanmax jnp.ptp jsp.special.logsumexp jnp.median jnp.linalg.norm""".split()
SCANS = "jnp.cumsum jnp.cumprod lax.cummax lax.cummin lax.cumlogsumexp lax.cumsum".split()


def unary(random, known):
    name = pick(random, known, is_number)
    if name is None:
        return None
    aval = known[name]
    if is_complex(aval):
        table = COMPLEX_UNARY
    elif is_integer(aval):
        table = INTEGER_UNARY
    else:
        table = SPECIAL_UNARY if random.random() < 0.25 else REAL_UNARY
    function = one_of(random, table)
    if is_complex(aval) and function == "jnp.sqrt":
        # On the negative axis XLA takes no notice of the sign of zero, which C's square root does.
        return f"jnp.sqrt(lax.complex({name}.real, jnp.where({name}.imag == 0, 0, {name}.imag)))", [name]
    if function in ("lax.population_count", "lax.clz") and not is_byte_integer(aval):
        return None  # JAX counts in the byte that holds a narrower integer.
    if function == "jnp.spacing":
        return f"up({WITHOUT_SUBNORMALS}(jnp.spacing(down({name}, '{aval.dtype}'))))", [name]
    if function == "jnp.signbit":
        return f"jnp.signbit({with_one_nan(known, name)})", [name]
    return f"{function}({name})", [name]


def binary(random, known):
    name = pick(random, known, is_number)
    if name is None:
        return None
    other, operands = fellow(random, known, name)
    aval = known[name]
    if is_complex(aval):
        table = COMPLEX_BINARY
    elif is_integer(aval):
        table = INTEGER_BINARY
    else:
        table = SPECIAL_BINARY if random.random() < 0.12 else REAL_BINARY
    function = one_of(random, table)
    operands = list(dict.fromkeys([name, *operands]))
    if function == "jnp.copysign":
        return f"jnp.copysign({name}, jnp.where(jnp.isnan({other}), 1, {other}))", operands
    if function in ("jnp.gcd", "jnp.lcm"):
        name, other = f"({name} // 2)", f"({other} // 2)"  # Of the least integer JAX computes without end.
    if "gamma" in function and "poly" not in function:
        # Neither does it end everywhere at infinities and very large numbers.
        name, other = (f"jnp.clip(jnp.nan_to_num({x}), -100, 100)" for x in (name, other))
        return f"{function}({name}, jnp.broadcast_to({other}, {operands[0]}.shape))", operands
    if function == "lax.polygamma":  # n! zeta(n + 1, x) of a huge n is NaN in XLA.
        return f"lax.polygamma(jnp.clip({name}, -3, 30), jnp.broadcast_to({other}, {name}.shape))", operands
    if function == "jnp.ldexp":
        return f"jnp.ldexp({name}, {random.integers(-3, 4)})", [name]
    if random.random() < 0.15:
        constant = one_of(random, [0, 1, 2, -1, 3])
        constant = abs(constant) if is_integer(aval) else constant
        return f"{function}({name}, {aval.dtype}.type({constant}))", operands[:1]
    if random.random() < 0.5 or "lax." not in function:
        return f"{function}({name}, {other})", operands
    return f"{function}({name}, jnp.broadcast_to({other}, {name}.shape))", operands


def compare(random, known):
    name = pick(random, known, is_any)
    other, operands = fellow(random, known, name)
    function = one_of(random, COMPARISONS)
    if "lax" in function:
        other = f"jnp.broadcast_to({other}, {name}.shape)"
    return f"{function}({name}, {other})", list(dict.fromkeys([name, *operands]))


def logical(random, known):
    name = pick(random, known, is_bool)
    if name is None:
        return None
    other, operands = fellow(random, known, name)
    function = one_of(random, ["jnp.logical_and", "jnp.logical_or", "jnp.logical_xor", "jnp.add", "jnp.multiply"])
    if random.random() < 0.2:
        return f"jnp.logical_not({name})", [name]
    return f"{function}({name}, {other})", list(dict.fromkeys([name, *operands]))


def select(random, known):
    predicate, name = pick(random, known, is_bool), pick(random, known, is_any)
    other, operands = fellow(random, known, name)
    if predicate is not None and random.random() < 0.6:
        return f"jnp.where({predicate}, {name}, {other})", list(dict.fromkeys([predicate, name, *operands]))
    if is_complex(known[name]) or is_bool(known[name]):
        return None
    kind = random.integers(3)
    if kind == 0:
        return f"jnp.where({name} > 0, {name}, {other})", list(dict.fromkeys([name, *operands]))
    if kind == 1:
        return f"jnp.clip({name}, {random.integers(-2, 1) if not str(known[name].dtype).startswith('u') else 0}, " \
               f"{random.integers(1, 4)})", [name]
    return f"lax.clamp(jnp.broadcast_to({other}, {name}.shape), {name}, jnp.flip({name}))", \
        list(dict.fromkeys([name, *operands]))


def convert(random, known):
    name = pick(random, known, is_any)
    target = one_of(random, DTYPES + RARE)
    if is_complex(known[name]) and not target.startswith("complex"):
        return f"{name}.real.astype({target})", [name]
    return f"{name}.astype({target})", [name]


def bits(random, known):
    kind = random.integers(5)
    if kind == 0:
        name = pick(random, known, is_full_float)
        if name is None:
            return None
        width = known[name].dtype.itemsize * 8
        return f"lax.bitcast_convert_type({WITHOUT_SUBNORMALS}(down({with_one_nan(known, name)}, '{known[name].dtype}')), " \
               f"{one_of(random, ['int', 'uint'])}{width})", \
            [name]
    if kind == 1:
        name = pick(random, known, lambda a: is_byte_integer(a) and a.dtype.itemsize in (2, 4, 8))
        if name is None:
            return None
        target = {2: one_of(random, ["float16", "bfloat16"]), 4: "float32", 8: "float64"}[known[name].dtype.itemsize]
        return f"up({WITHOUT_SUBNORMALS}(lax.bitcast_convert_type({name}, {target})))", [name]
    if kind == 2:
        name = pick(random, known, is_full_float)
        if name is None:
            return None
        return f"up(lax.reduce_precision(down({name}, '{known[name].dtype}'), {random.integers(1, 9)}, " \
               f"{random.integers(0, 8)}))", [name]
    if kind == 3:
        name = pick(random, known, is_full_float)
        if name is None:
            return None
        other, operands = fellow(random, known, name)
        dtype = known[name].dtype
        return f"up({WITHOUT_SUBNORMALS}(jnp.nextafter(down({name}, '{dtype}'), down({other}, '{dtype}'))))", \
            list(dict.fromkeys([name, *operands]))
    name = pick(random, known, lambda a: is_byte_integer(a) and a.dtype.itemsize in (1, 2, 4))
    if name is None:
        return None
    return f"lax.bitcast_convert_type({name}, {one_of(random, ['uint8', 'int16', 'uint32'])})", [name]


def reduction(random, known):
    name = pick(random, known, is_any)
    shape = known[name].shape
    function = one_of(random, REDUCTIONS)
    if is_complex(known[name]) and function in ("jnp.any", "jnp.all", "jnp.count_nonzero"):
        return None  # Whether a part of a number is zero is a matter of rounding.
    if "logsumexp" in function and is_float(known[name]) and not is_full_float(known[name]):
        return None  # JAX writes minus infinity for these, and formats without one have NaN instead.
    if not shape or random.random() < 0.3:
        axis = "None"
    elif random.random() < 0.3 and len(shape) > 1 and "arg" not in function and "median" not in function:
        axis = "(0, -1)"
    else:
        axis = str(random.integers(len(shape)))
    keep = f", keepdims={bool(random.integers(2))}"
    return f"{function}({name}, axis={axis}{keep})", [name]


def scan_along(random, known):
    name = pick(random, known, lambda a: is_number(a) and a.shape)
    if name is None:
        return None
    function = one_of(random, SCANS)
    axis = random.integers(len(known[name].shape))
    if is_complex(known[name]) and function in ("lax.cummax", "lax.cummin"):
        return None  # Of NaN and a number either is taken, as they come, and XLA combines in an order of its own.
    reverse = ", reverse=True" if "lax" in function and random.integers(2) else ""
    return f"{function}({name}, axis={axis}{reverse})", [name]


def sorting(random, known):
    name = pick(random, known, lambda a: not is_complex(a) and a.shape)
    if name is None:
        return None
    shape = known[name].shape
    axis, last = random.integers(len(shape)), shape[-1]
    operands = [name]
    name = with_one_nan(known, name)
    forms = [f"jnp.sort({name}, axis={axis})", f"jnp.argsort({name}, axis={axis})",
             f"jnp.sort({name}, axis={axis}, descending=True)",
             f"lax.top_k({name}, {random.integers(0, last + 1)})[{random.integers(2)}]",
             f"lax.sort([{name}, lax.broadcasted_iota(int32, {name}.shape, {axis})], dimension={axis}, "
             f"num_keys=1)[1]",
             f"jnp.searchsorted(jnp.sort({name}.ravel()), {name})", f"jnp.partition({name}, {max(0, last // 2)}, axis=-1)",
             f"jnp.unique({name}, size=4, fill_value=0)", f"jnp.lexsort(({name}.ravel(), {name}.ravel()[::-1]))"]
    return one_of(random, forms), operands


def moving(random, known):
    name = pick(random, known, is_any)
    shape = known[name].shape
    rank, size = len(shape), int(np.prod(shape))
    forms = [f"{name}.reshape(-1)", f"jnp.expand_dims({name}, {random.integers(rank + 1)})", f"jnp.atleast_2d({name})",
             f"jnp.broadcast_to({name}, {(int(random.integers(1, 4)), *shape)})", f"jnp.tile({name}, 2)",
             f"jnp.stack([{name}, {name}], axis={random.integers(rank + 1)})"]
    if rank:
        axis = random.integers(rank)
        n = shape[axis]
        forms += [f"jnp.transpose({name})", f"jnp.flip({name}, {axis})", f"jnp.roll({name}, {random.integers(-3, 4)}, {axis})",
                  f"jnp.repeat({name}, 2, axis={axis})", f"jnp.moveaxis({name}, {axis}, 0)",
                  f"jnp.concatenate([{name}, jnp.flip({name})], axis={axis})" if shape == shape[::-1] or rank == 1 else
                  f"jnp.concatenate([{name}, {name}], axis={axis})",
                  f"{name}[::-1]", f"{name}[1:]", f"{name}[::2]", f"{name}[..., :{max(1, shape[-1] // 2)}]",
                  f"lax.slice_in_dim({name}, {n // 3}, {n}, axis={axis})",
                  f"lax.dynamic_slice_in_dim({name}, {random.integers(-2, 6)}, {max(1, n // 2)}, axis={axis})",
                  f"lax.dynamic_update_slice({name}, {name}[:1], ({', '.join(str(random.integers(-1, 4)) for _ in shape)},))",
                  f"jnp.take({name}, jnp.array({[int(x) for x in random.integers(-2, 5, 3)]}), axis={axis})",
                  f"jnp.diff({name}, axis={axis})" if not known[name].dtype == np.bool_ else f"jnp.squeeze({name})",
                  f"jnp.swapaxes({name}, 0, -1)", f"jnp.rot90({name})" if rank >= 2 else f"jnp.squeeze({name})",
                  f"jnp.tril({name})" if rank >= 2 else f"jnp.diag({name})", f"jnp.triu({name}, 1)" if rank >= 2 else f"{name}[None]",
                  f"lax.pad({name}, {known[name].dtype}.type(1), "
                  f"[{', '.join(str(tuple(int(v) for v in (random.integers(-1, 3), random.integers(-1, 3), random.integers(0, 3)))) for _ in shape)}])",
                  f"jnp.pad({name}, 1, mode='{one_of(random, ['constant', 'edge', 'reflect', 'wrap', 'symmetric'])}')"]
        divisors = [d for d in (2, 3, 4) if size % d == 0 and size]
        if divisors:
            forms.append(f"{name}.reshape({one_of(random, divisors)}, -1)")
    return one_of(random, forms), [name]


def indexing(random, known):
    name = pick(random, known, lambda a: a.shape and np.prod(a.shape) > 0)
    if name is None:
        return None
    shape = known[name].shape
    index = pick(random, known, lambda a: is_byte_integer(a) and len(a.shape) <= 2)
    operands = [name]
    text = f"jnp.array({[int(x) for x in random.integers(-3, 6, random.integers(1, 5))]})"
    if index is not None and random.random() < 0.5:
        text, operands = index, list(dict.fromkeys([name, index]))
    mode = one_of(random, ["", ", mode='clip'", ", mode='drop'", ", mode='fill'"])
    method = one_of(random, ["add", "set", "max", "min", "mul"])
    forms = [f"{name}[{text}]", f"{name}.at[{text}].get(mode='{one_of(random, ['clip', 'fill', 'wrap'])}')"]
    if not (method in ("max", "min") and is_complex(known[name])) and method != "set":
        forms += [f"{name}.at[{text}].{method}({name}.dtype.type(1){mode if 'fill' not in mode else ''})"] * 2
    # Of equal indices one wins when values are set, and which one is not said; constants show none.
    forms += [f"{name}.at[{text}].set({name}.dtype.type(1))",
              f"jnp.take_along_axis({name}, jnp.argsort({with_one_nan(known, name)}, axis=-1), axis=-1)" if not is_complex(known[name]) else f"{name}[0]"]
    if len(shape) == 1 and not is_complex(known[name]) and not is_bool(known[name]):
        forms += [f"jax.ops.segment_sum({name}, jnp.arange({shape[0]}) % 3, 3)",
                  f"jax.ops.segment_max({name}, jnp.arange({shape[0]}) // 2, 4)"]
    return one_of(random, forms), operands


def product(random, known):
    name = pick(random, known, lambda a: 1 <= len(a.shape) <= 3)
    if name is None:
        return None
    aval = known[name]
    rank = len(aval.shape)
    other = f"jnp.swapaxes({name}, -1, -2)" if rank >= 2 else name
    forms = [f"jnp.matmul({name}, {other})", f"jnp.tensordot({name}, {name}, axes={random.integers(0, rank + 1)})",
             f"jnp.inner({name}, {name})", f"jnp.outer({name}[0], {name}[-1])" if rank == 2 else f"jnp.outer({name}, {name})",
             f"jnp.einsum('{'i ij ijk'.split()[rank - 1]}->{'i' if rank == 1 else one_of(random, ['ji', 'j', 'i', ''])[:rank]}', {name})"]
    target = one_of(random, ["float32", "int32", "bfloat16", "float16", "float64", "int64", "complex64", "uint8"])
    kind = aval.dtype.kind
    if not (is_complex(aval) and target in ("uint8", "bfloat16", "float16")):
        x, y = name, other
        if "int" in target and not is_integer(aval) and not is_bool(aval):
            # What an integer is that the sum is too large for depends on how XLA computes the product.
            x, y = (f"jnp.where(jnp.abs({z}) < 1000, {z}, 1)" for z in (name, other))
        forms += [f"jnp.matmul({x}, {y}, preferred_element_type={target})"] * 2
    if rank == 2:
        forms.append(f"jnp.kron({name}, {name}[:2, :2])")
    # Padding is of zeros, which times infinity are NaN: in some of XLA's convolutions, and in others not.
    finite = f"jnp.where(jnp.isfinite({name}), {name}, 1)"
    if rank == 1 and is_number(aval):
        forms += [f"jnp.convolve({finite}, {finite}[:3])", f"jnp.correlate({finite}, {finite}[:2], mode='same')",
                  f"jnp.polyval({name}[:4], {name})", f"jnp.vander({name}, 3)", f"jnp.interp({name}, jnp.arange(4.0), jnp.arange(4.0) ** 2)",
                  f"jnp.cross({name}[:3], {name}[:3][::-1])"]
    if rank == 3 and is_number(aval) and not is_bool(aval):
        n, c, w = aval.shape
        forms += [f"lax.conv_general_dilated({finite}, jnp.ones((2, {c}, {min(w, 2)}), {name}.dtype) * {name}.dtype.type(2), "
                  f"({random.integers(1, 3)},), [({random.integers(0, 2)}, {random.integers(0, 3)})], rhs_dilation=(1,), "
                  f"lhs_dilation=({random.integers(1, 3)},))"] * 3
    return one_of(random, forms), [name]


def windows(random, known):
    name = pick(random, known, lambda a: is_full_float(a) or is_byte_integer(a))
    if name is None or not known[name].shape:
        return None
    shape = known[name].shape
    window = tuple(int(random.integers(1, min(3, max(1, s)) + 1)) for s in shape)
    strides = tuple(int(random.integers(1, 3)) for _ in shape)
    padding = one_of(random, ["'VALID'", "'SAME'"])
    init, function = one_of(random, [("0", "lax.add"), ("1", "lax.mul")])
    if random.random() < 0.6:
        low = "-jnp.inf" if is_float(known[name]) else f"jnp.iinfo({known[name].dtype}).min"
        init, function = low, "lax.max"
    return f"lax.reduce_window({name}, {known[name].dtype}.type({init}), {function}, {window}, {strides}, {padding})", [name]


def transform(random, known):
    name = pick(random, known, lambda a: (is_wide_float(a) or is_complex(a)) and a.shape)
    if name is None:
        return None
    rank = len(known[name].shape)
    axis = random.integers(rank)
    operands = [name]
    # Which elements of a transform of infinities are NaN depends on how it is computed.
    name = f"jnp.where(jnp.isfinite({name}), {name}, 1)"
    aval = known[operands[0]]
    forms = [f"jnp.fft.fft({name}, axis={axis})", f"jnp.fft.ifft({name}, axis={axis})", f"jnp.fft.fftn({name})" if rank <= 3
             else f"jnp.fft.fft({name})", f"jnp.fft.fftshift({name})", f"jnp.fft.irfft({name}, axis={axis})",
             f"jnp.fft.irfft({name}, n={random.integers(1, 9)}, axis={axis})"]
    if not is_complex(aval):
        forms += [f"jnp.fft.rfft({name}, axis={axis})", f"jnp.fft.hfft({name}, axis={axis})", f"jsp.fft.dct({name}, axis={axis})"]
    return one_of(random, forms), operands


def linear_algebra(random, known):
    name = pick(random, known, lambda a: (is_wide_float(a) or is_complex(a)) and len(a.shape) >= 2 and min(a.shape[-2:]) > 0)
    if name is None:
        return None
    m, n = known[name].shape[-2:]
    k = min(m, n, 6)
    # Well conditioned: what is far from singular differs by rounding errors alone.
    square = f"(jnp.where(jnp.abs({name}[..., :{k}, :{k}]) < 4, {name}[..., :{k}, :{k}], 0) + 9 * jnp.eye({k}, dtype={name}.dtype))"
    definite = f"({square} @ jnp.conj(jnp.swapaxes({square}, -1, -2)))"
    right = f"jnp.ones(({k}, 2), {name}.dtype)"
    forms = [f"jnp.linalg.det({square})", f"jnp.linalg.inv({square})", f"jnp.linalg.cholesky({definite})",
             f"jnp.linalg.slogdet({square})[1]", f"jnp.abs(jnp.linalg.qr({square})[1])", f"jnp.linalg.svd({square})[1]",
             f"jnp.linalg.eigvalsh({definite})", f"jnp.linalg.matrix_power({square} / 9, 3)", f"jnp.trace({name}, axis1=-2, axis2=-1)",
             f"jsp.linalg.lu({square})[2]" if len(known[name].shape) == 2 else f"jnp.linalg.det({square})",
             f"lax.linalg.triangular_solve(jnp.tril({square}), {square}, left_side=True, lower=True)"]
    if len(known[name].shape) == 2:
        forms += [f"jnp.linalg.solve({square}, {right})", f"jsp.linalg.expm({square} / 9)",
                  f"jsp.linalg.solve_triangular({square}, {right}, trans={random.integers(2)})"]
    return one_of(random, forms), [name]


def random_numbers(random, known):
    seed, shape = int(random.integers(1000)), draw_shape(random)
    key = f"jax.random.key({seed}, impl='{one_of(random, ['threefry2x32', 'threefry2x32', 'rbg'])}')"
    dtype = one_of(random, ["jnp.float32", "jnp.float32", "jnp.float64", "jnp.bfloat16", "jnp.float16"])
    forms = [f"jax.random.uniform({key}, {shape}, {dtype})", f"jax.random.normal({key}, {shape}, {dtype})",
             f"jax.random.exponential({key}, {shape}, {dtype})", f"jnp.exp(-jax.random.gumbel({key}, {shape}, {dtype}))",
             f"jax.random.laplace({key}, {shape}, {dtype})", f"jax.random.bernoulli({key}, 0.3, {shape})",
             f"jax.random.randint({key}, {shape}, -5, 17)", f"jax.random.bits({key}, {shape}, jnp.uint{one_of(random, [8, 16, 32, 64])})",
             f"jax.random.permutation({key}, {max(1, int(np.prod(shape)) % 50)})", f"jax.random.truncated_normal({key}, -1.0, 2.0, {shape})",
             f"jax.random.categorical({key}, jnp.arange(5.0), shape={shape})", f"jax.random.split({key}, 3)[0]", f"jax.random.cauchy({key}, {shape})",
             f"jax.random.choice({key}, 10, {shape})", f"jax.random.gamma({key}, 2.5, {shape[:1]})", f"jax.random.poisson({key}, 3.0, {shape[:1]})"]
    form = one_of(random, forms)
    if "split" in form:
        form = f"jax.random.key_data({form})"
    return f"up({form})", []


def inner(random, depth, names):
    """An expression of floats of one dtype that is smooth almost everywhere."""
    if depth == 0 or random.random() < 0.15:
        return one_of(random, names)
    kind = random.integers(10)
    if kind < 5:
        function = one_of(random, """jnp.sin jnp.cos jnp.tanh jnp.exp jnp.arctan jax.nn.sigmoid jnp.square jnp.abs jnp.negative
            jax.nn.softplus jax.nn.relu jnp.expm1 jnp.arcsinh lax.erf jax.nn.gelu jnp.cbrt jnp.log1p jnp.sqrt""".split())
        return f"{function}({inner(random, depth - 1, names)})"
    if kind < 9:
        function = one_of(random, "jnp.add jnp.subtract jnp.multiply jnp.maximum jnp.minimum jnp.arctan2 jnp.multiply".split())
        return f"{function}({inner(random, depth - 1, names)}, {inner(random, depth - 1, names)})"
    return f"({inner(random, depth - 1, names)} * {one_of(random, [0.5, 2, -1, 0.25, 3])})"


def differentiation(random, known):
    name = pick(random, known, lambda a: is_full_float(a))
    if name is None:
        return None
    body = inner(random, 3, ["t"])
    forms = [f"jax.grad(lambda t: jnp.sum({body}))({name})", f"jax.jvp(lambda t: {body}, ({name},), ({name},))[1]",
             f"jax.vjp(lambda t: {body}, {name})[1]({name})[0]"]
    if known[name].shape and np.prod(known[name].shape) <= 9 and len(known[name].shape) == 1:
        forms += [f"jax.jacfwd(lambda t: {body})({name})", f"jax.hessian(lambda t: jnp.sum({body}))({name})",
                  f"jax.jacrev(lambda t: jnp.cumsum({body}))({name})"]
    functions = """jnp.cumsum jnp.cumprod jnp.sort jax.nn.softmax jax.nn.log_softmax jnp.max jnp.prod jnp.linalg.norm jnp.std
        jsp.special.gammaln jsp.special.digamma jsp.special.erfinv jnp.var jsp.special.logsumexp jnp.cumsum jax.nn.logsumexp
        jnp.mean jnp.flip jsp.special.i0e jsp.special.i1""".split()
    forms.append(f"jax.grad(lambda t: jnp.sum({one_of(random, functions)}(t)))({name})")
    return one_of(random, forms), [name]


def mapping(random, known):
    name = pick(random, known, lambda a: is_full_float(a) and a.shape and a.shape[0] > 0)
    if name is None:
        return None
    body = inner(random, 2, ["t"])
    row = one_of(random, ["jnp.sum", "jnp.sort", "jnp.cumsum", "jnp.max", "jnp.flip", "jax.nn.softmax", "jnp.argmax"])
    forms = [f"jax.vmap(lambda t: {body})({name})", f"lax.map(lambda t: {body}, {name})",
             f"jax.vmap(jax.grad(lambda t: jnp.sum({body})))({name})"]
    if len(known[name].shape) >= 2:
        forms += [f"jax.vmap({row})({name})", f"jax.vmap({row}, in_axes=1, out_axes=0)({name})",
                  f"jax.vmap(lambda t, i: lax.dynamic_index_in_dim(t, i, 0), in_axes=(0, 0))({name}, jnp.arange({known[name].shape[0]}))"]
    return one_of(random, forms), [name]


def control_flow(random, known):
    name = pick(random, known, lambda a: is_full_float(a))
    if name is None:
        return None
    body, other = inner(random, 2, ["t"]), inner(random, 2, ["t"])
    step = f"(0.5 * t + 0.25 * {one_of(random, ['jnp.sin(t)', 'jnp.tanh(t)', 'jnp.cos(t)', 'i'])}).astype({name}.dtype)"
    forms = [f"lax.fori_loop(0, {random.integers(0, 6)}, lambda i, t: {step}, {name})",
             f"lax.while_loop(lambda s: s[0] < {random.integers(0, 7)}, lambda s: (s[0] + 1, (lambda i, t: {step})(s[0], s[1])), (0, {name}))[1]",
             f"lax.cond({bool(random.integers(2))}, lambda t: {body}, lambda t: {other}, {name})",
             f"lax.switch(jnp.int32({random.integers(-1, 4)}), [lambda t: {body}, lambda t: {other}, lambda t: t], {name})",
             f"jax.checkpoint(lambda t: {body})({name})", f"jax.jit(lambda t: {body})({name})"]
    integer = pick(random, known, lambda a: is_byte_integer(a))
    operands = [name]
    if integer is not None:
        forms.append(f"lax.cond(jnp.sum({integer}) % 2 == 0, lambda t: {body}, lambda t: {other}, {name})")
    if known[name].shape and known[name].shape[0] > 0:
        pair = one_of(random, [0, 1])
        forms += [f"lax.scan(lambda t, u: ((0.5 * t + u).astype(t.dtype), t * u), jnp.zeros_like({name}[0]), {name}"
                  f"{', reverse=True' if random.integers(2) else ''})[{pair}]",
                  f"lax.associative_scan({one_of(random, ['jnp.add', 'jnp.maximum', 'jnp.multiply'])}, {name})",
                  f"jax.grad(lambda v: jnp.sum(lax.scan(lambda t, u: ((0.5 * t + jnp.sin(u)).astype(t.dtype), t), "
                  f"jnp.zeros_like(v[0]), v)[1]))({name})"]
    form = one_of(random, forms)
    if integer is not None and integer in form.replace(name, " "):
        operands = list(dict.fromkeys([name, integer]))
    return form, operands


def creation(random, known):
    shape = draw_shape(random)
    dtype = one_of(random, ["float32", "int32", "bfloat16", "uint8", "float64"])
    forms = [f"jnp.arange({random.integers(0, 12)}, dtype={dtype})", f"jnp.linspace(-2, 3, {random.integers(0, 9)}, dtype=float32)",
             f"jnp.eye({random.integers(0, 5)}, {random.integers(1, 5)}, dtype={dtype})", f"jnp.full({shape}, 3, {dtype})",
             f"lax.broadcasted_iota(int32, {shape or (3,)}, 0)", f"jnp.tri(4, 3, {random.integers(-1, 2)}, dtype={dtype})"]
    return one_of(random, forms), []


def complexes(random, known):
    name = pick(random, known, is_wide_float)
    if name is None or random.random() < 0.3:
        name = pick(random, known, is_complex)
        if name is None:
            return None
        return one_of(random, [f"jnp.abs({name})", f"{name}.real", f"{name}.imag", f"{name} * jnp.conj({name})"]), [name]
    other, operands = fellow(random, known, name)
    return f"lax.complex({name}, jnp.broadcast_to({other}, {name}.shape))", list(dict.fromkeys([name, *operands]))


FAMILIES = ([unary] * 8 + [binary] * 8 + [compare, logical, select, select, convert, convert, bits] + [reduction] * 3 +
            [scan_along, sorting, sorting] + [moving] * 5 + [indexing] * 2 + [product] * 2 + [windows, transform] +
            [linear_algebra, random_numbers] + [differentiation] * 3 + [mapping, mapping] + [control_flow] * 3 +
            [creation, complexes])


def draw_line(random, known):
    """(expression, the names in it), or None if what there is does not do for it."""
    return one_of(random, FAMILIES)(random, known)
