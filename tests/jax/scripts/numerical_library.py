"""What programs take from jax.numpy, jax.scipy, jax.image and jax.nn beyond arithmetic, called eagerly and with jit."""

import sys

import jax
import jax.numpy as jnp
import numpy as np
from jax.scipy import ndimage, signal, special, stats


def main():
    generator = np.random.default_rng(5)
    x = jnp.asarray(generator.normal(size=(6, 10)).astype(np.float32))
    image = jnp.asarray(generator.random((12, 9, 3)).astype(np.float32))
    counts = jnp.asarray(generator.integers(0, 6, 40))
    groups = jnp.array([2, 1, 3], jnp.int32)
    values, indices = jax.lax.top_k(x, 3)
    results = {
        "unique": jnp.unique(counts), "histogram": jnp.histogram(x, bins=5)[0],
        "bincount": jnp.bincount(counts, length=7),
        "percentile": jnp.percentile(x, jnp.array([10.0, 50.0, 90.0]), axis=1), "median": jnp.median(x, axis=0),
        "nonzero": jnp.nonzero(counts > 3)[0], "where": jnp.where(x > 0, x, -1),
        "searched": jnp.searchsorted(jnp.sort(x[0]), x[1]),
        "argsort": jnp.argsort(x, axis=1), "lexsort": jnp.lexsort((counts[:10], counts[10:20])),
        "roll": jnp.roll(x, 3, 1),
        "interpolated": jnp.interp(x[0], jnp.linspace(-2, 2, 9), jnp.arange(9.0) ** 2),
        "kron": jnp.kron(x[:2, :2], x[2:4, :2]),
        "einsum": jnp.einsum("ij,kj,jl->ikl", x, x, x.T), "corrcoef": jnp.corrcoef(x),
        "polynomial": jnp.polyval(x[0], 0.5),
        "top": values, "indices": indices, "approximate": jax.lax.approx_max_k(x, 2)[0],
        "convolve": jnp.convolve(x[0], x[1]),
        "ragged": jax.lax.ragged_dot(x, jnp.ones((3, 10, 2)) * jnp.arange(3.0)[:, None, None], groups),
        "segments": jax.ops.segment_sum(x[:, 0], jnp.array([0, 1, 0, 2, 2, 1]), 3),
        "gamma": special.gammaln(jnp.abs(x)),
        "logsumexp": special.logsumexp(x, axis=1), "bessel": special.i1(x), "zeta": special.zeta(jnp.abs(x) + 1.5, 2.0),
        "erfinv": special.erfinv(x / 5), "expit": special.expit(x), "incomplete": special.gammainc(2.0, jnp.abs(x)),
        "normal": stats.norm.logcdf(x), "student": stats.t.logpdf(x, 3.0), "kernel": stats.gaussian_kde(x[0])(x[1]),
        "resized": jax.image.resize(image, (7, 15, 3), "bicubic"), "scaled": jax.image.scale_and_translate(
            image, (8, 8, 3), (0, 1), jnp.array([0.5, 0.7]), jnp.array([1.0, 0.0]), "linear"),
        "mapped": ndimage.map_coordinates(image[..., 0], [x[0] + 4, x[1] + 4], order=1, mode="nearest"),
        "correlated": signal.correlate2d(image[..., 0], x[:3, :3]), "welch": signal.welch(x.ravel(), nperseg=20)[1],
        "gelu": jax.nn.gelu(x), "softmax": jax.nn.softmax(x), "one_hot": jax.nn.one_hot(counts[:5], 6),
        "glu": jax.nn.glu(x),
        "standardized": jax.nn.standardize(x), "dilated": jax.lax.conv_general_dilated(
            image[None], jnp.ones((3, 3, 1, 6)) / 9, (1, 2), "SAME", rhs_dilation=(2, 1), feature_group_count=3,
            dimension_numbers=("NHWC", "HWIO", "NHWC")),
        "pooled": jax.lax.reduce_window(image[..., 0], -jnp.inf, jax.lax.max, (3, 3), (2, 2), "SAME"),
        "cumulative": jax.lax.cumlogsumexp(x, axis=1), "sorted": jax.lax.sort((counts, jnp.arange(40)), num_keys=1)[1],
        "gathered": jnp.take_along_axis(x, jnp.argsort(x, axis=1), 1), "scattered": x.at[groups, ::2].max(0.5),
        "packed": jnp.packbits(counts > 2), "populations": jax.lax.population_count(counts),
        "string": np.asarray(str(x.shape)),
    }
    np.savez(sys.argv[1], **results)


if __name__ == "__main__":
    main()
