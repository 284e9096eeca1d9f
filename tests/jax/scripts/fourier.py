"""Transforms by Fourier: each kind, in several dimensions and odd sizes, convolutions by it, and its derivative."""

import sys

import jax
import jax.numpy as jnp
import numpy as np


def main():
    generator = np.random.default_rng(0)
    x = jnp.asarray(generator.normal(size=(4, 15, 16)).astype(np.float32))
    z = x[0] + 1j * x[1]
    spectrum = jnp.fft.rfft(x)
    results = {
        "fft": jnp.fft.fft(z), "ifft": jnp.fft.ifft(z, norm="ortho"), "fft2": jnp.fft.fft2(z), "fftn": jnp.fft.fftn(x),
        "rfft": spectrum, "irfft": jnp.fft.irfft(spectrum), "odd": jnp.fft.irfft(spectrum, n=15),
        "hfft": jnp.fft.hfft(z), "rfft2": jnp.fft.rfft2(x), "irfftn": jnp.fft.irfftn(jnp.fft.rfftn(x)),
        "prime": jnp.fft.fft(x[0].ravel()[:101]),
        "shift": jnp.fft.fftshift(jnp.fft.fftfreq(9)), "padded": jnp.fft.fft(z, n=24, axis=0),
        "convolved": jax.scipy.signal.fftconvolve(x[0], x[1, :3, :3], mode="same"),
        "dct": jax.scipy.fft.dct(x[2]), "stft": jax.scipy.signal.stft(x[3].ravel(), nperseg=32)[2],
        "gradient": jax.grad(lambda a: jnp.abs(jnp.fft.fft(a) ** 2).sum())(x[0]),
        "batched": jax.jit(jax.vmap(lambda a: jnp.fft.ifft(jnp.fft.fft(a) * jnp.exp(1j * a)).real))(x[1]),
    }
    np.savez(sys.argv[1], **results)


if __name__ == "__main__":
    main()
