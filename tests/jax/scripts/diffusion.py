"""Trains a small U-Net to remove noise for some steps, and samples from it with a DDPM's reverse process."""

import functools
import sys

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import linen as nn

STEPS, SIZE = 20, 8
BETAS = jnp.linspace(1e-4, 0.2, STEPS)
ALPHAS = jnp.cumprod(1 - BETAS)


class UNet(nn.Module):
    @nn.compact
    def __call__(self, images, times):
        frequencies = jnp.exp(-jnp.arange(8) * 0.5)
        angles = times[:, None] * frequencies
        embedded = nn.Dense(16)(nn.swish(nn.Dense(16)(jnp.concatenate([jnp.sin(angles), jnp.cos(angles)], -1))))
        down = nn.swish(nn.GroupNorm(4)(nn.Conv(16, (3, 3))(images)) + embedded[:, None, None])
        x = nn.swish(nn.GroupNorm(4)(nn.Conv(16, (3, 3), strides=(2, 2))(down)))
        x = nn.ConvTranspose(16, (3, 3), strides=(2, 2))(x)
        return nn.Conv(1, (3, 3))(jnp.concatenate([x, down], -1))


def loss_of(parameters, images, key):
    time_key, noise_key = jax.random.split(key)
    times = jax.random.randint(time_key, (images.shape[0],), 0, STEPS)
    noise = jax.random.normal(noise_key, images.shape)
    signal = ALPHAS[times][:, None, None, None]
    noisy = jnp.sqrt(signal) * images + jnp.sqrt(1 - signal) * noise
    return jnp.mean((UNet().apply(parameters, noisy, times.astype(jnp.float32)) - noise) ** 2)


@functools.partial(jax.jit, static_argnames="count")
def sample(parameters, key, count):
    def denoise(i, carry):
        x, key = carry
        t = STEPS - 1 - i
        key, noise_key = jax.random.split(key)
        predicted = UNet().apply(parameters, x, jnp.full((count,), t, jnp.float32))
        mean = (x - BETAS[t] / jnp.sqrt(1 - ALPHAS[t]) * predicted) / jnp.sqrt(1 - BETAS[t])
        noise = jnp.where(t > 0, jnp.sqrt(BETAS[t]), 0.0) * jax.random.normal(noise_key, x.shape)
        return mean + noise, key

    first_key, key = jax.random.split(key)
    start = jax.random.normal(first_key, (count, SIZE, SIZE, 1))
    return jax.lax.fori_loop(0, STEPS, denoise, (start, key))[0]


def main():
    key = jax.random.key(0)
    grid = jnp.linspace(-1, 1, SIZE)
    centers = jax.random.uniform(key, (16, 2), minval=-0.5, maxval=0.5)
    images = jnp.exp(-4 * ((grid[:, None] - centers[:, :1, None]) ** 2 + (grid - centers[:, 1:, None]) ** 2))[..., None]
    parameters = UNet().init(key, images, jnp.zeros(16))
    optimizer = optax.adam(2e-3)

    @jax.jit
    def train_step(parameters, state, key):
        loss, gradients = jax.value_and_grad(loss_of)(parameters, images, key)
        updates, state = optimizer.update(gradients, state)
        return optax.apply_updates(parameters, updates), state, loss

    state, losses = optimizer.init(parameters), []
    for step in range(15):
        parameters, state, loss = train_step(parameters, state, jax.random.fold_in(key, step))
        losses.append(loss)
    np.savez(sys.argv[1], losses=jnp.stack(losses), samples=sample(parameters, jax.random.key(5), 4))


if __name__ == "__main__":
    main()
