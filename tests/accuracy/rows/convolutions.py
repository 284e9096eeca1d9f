"""Convolutions, forward and both gradients."""

import jax
import jax.numpy as jnp
from jax import lax

from row import Numbers, Row

n = Numbers(5)


def convolution(layout, strides=(1, 1), padding="SAME", groups=1, dilation=(1, 1), transposed=False):
    numbers = {"NHWC": ("NHWC", "HWIO", "NHWC"), "NCHW": ("NCHW", "OIHW", "NCHW")}[layout]

    def convolve(x, w):
        if transposed:
            return lax.conv_transpose(x, w, strides, padding, dimension_numbers=numbers)
        return lax.conv_general_dilated(x, w, strides, padding, rhs_dilation=dilation, dimension_numbers=numbers,
                                        feature_group_count=groups)
    return convolve


def three(name, f, image, kernel):
    x, w = n.normal(*image, mean=0.3), n.normal(*kernel, scale=0.1)
    d = n.normal(*jax.eval_shape(f, x, w).shape, mean=0.3)
    return [Row(f"convolution {name}", f, (x, w)),
            Row(f"input gradient of {name}", lambda x, w, d: jax.vjp(lambda x: f(x, w), x)[1](d)[0], (x, w, d)),
            Row(f"kernel gradient of {name}", lambda x, w, d: jax.vjp(lambda w: f(x, w), w)[1](d)[0], (x, w, d))]


def along(x, w):
    return lax.conv_general_dilated(x, w, (1,), "SAME", dimension_numbers=("NWC", "WIO", "NWC"))


ROWS = [
    *three("3x3, 4x16x16x64 to 64", convolution("NHWC"), (4, 16, 16, 64), (3, 3, 64, 64)),
    *three("3x3, 8x32x32x16 to 32 by 2", convolution("NHWC", (2, 2)), (8, 32, 32, 16), (3, 3, 16, 32)),
    *three("1x1, 4x14x14x256 to 128", convolution("NHWC"), (4, 14, 14, 256), (1, 1, 256, 128)),
    *three("7x7, 4x64x64x3 to 64 by 2", convolution("NHWC", (2, 2)), (4, 64, 64, 3), (7, 7, 3, 64)),
    *three("3x3, 4x32x20x20 to 48, features first", convolution("NCHW"), (4, 32, 20, 20), (48, 32, 3, 3)),
    *three("3x3 of each of 32 features", convolution("NHWC", groups=32), (4, 28, 28, 32), (3, 3, 1, 32)),
    *three("3x3 in 4 groups", convolution("NHWC", groups=4), (4, 14, 14, 64), (3, 3, 16, 64)),
    *three("3x3 with holes", convolution("NHWC", dilation=(2, 2)), (2, 24, 24, 32), (3, 3, 32, 32)),
    *three("4x4 transposed by 2", convolution("NHWC", (2, 2), transposed=True), (2, 14, 14, 32), (4, 4, 32, 16)),
    *three("9 along 4x2000x24 to 16", along, (4, 2000, 24), (9, 24, 16)),
    Row("convolution bf16", convolution("NHWC"), (n.normal(2, 14, 14, 64), n.normal(3, 3, 64, 32, scale=0.1)),
        dtype="bfloat16"),
    Row("kernel gradient bf16", lambda x, w, d: jax.vjp(lambda w: convolution("NHWC")(x, w), w)[1](d)[0],
        (n.normal(8, 28, 28, 16), n.normal(3, 3, 16, 32, scale=0.1), n.normal(8, 28, 28, 32)), dtype="bfloat16"),
]
