"""Fourier transforms."""

import jax.numpy as jnp

from row import Numbers, Row

n = Numbers(6)

ROWS = [
    *[Row(f"fft of {size}", jnp.fft.fft, (n.complex(8, size),)) for size in (256, 1000, 1009, 4096, 65536, 100003)],
    Row("ifft of 3000", jnp.fft.ifft, (n.complex(8, 3000),)),
    Row("rfft of 4096", jnp.fft.rfft, (n.normal(16, 4096),)),
    Row("rfft of 999", jnp.fft.rfft, (n.normal(16, 999),)),
    Row("irfft of 2048", jnp.fft.irfft, (n.complex(16, 1025),)),
    Row("fft2 200x128", jnp.fft.fft2, (n.complex(3, 200, 128),)),
    Row("fft 3d 20x30x40", jnp.fft.fftn, (n.complex(20, 30, 40),)),
    Row("spectral convolution", lambda x, y: jnp.fft.irfft(jnp.fft.rfft(x) * jnp.fft.rfft(y)),
        (n.normal(4, 5000), n.normal(4, 5000))),
]
