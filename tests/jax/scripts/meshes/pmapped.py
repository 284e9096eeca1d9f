"""jax.pmap over four devices: collectives, gradients, several arguments and results, nesting in scan, donation."""

import functools
import sys

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

DEVICES = jax.local_devices()[:4]


@functools.partial(jax.pmap, axis_name="i", in_axes=(None, 0, 0), out_axes=(None, 0), devices=DEVICES)
def step(weights, x, y):
    loss, gradient = jax.value_and_grad(lambda w: jnp.mean((jnp.tanh(x @ w) - y) ** 2))(weights)
    return weights - 0.1 * lax.pmean(gradient, "i"), loss


@functools.partial(jax.pmap, axis_name="i", devices=DEVICES, static_broadcasted_argnums=1)
def passed_on(x, turns):
    def turn(x, _):
        return lax.ppermute(x, "i", [(i, (i + 1) % 4) for i in range(4)]) + lax.axis_index("i"), x.sum()

    return lax.scan(turn, x, None, length=turns)


def main():
    x = np.random.default_rng(0).normal(size=(4, 6, 5)).astype(np.float32)
    y = np.sin(x.sum(-1, keepdims=True))
    results = {
        "normalized": jax.pmap(lambda a: a / lax.psum(a, "i"), axis_name="i", devices=DEVICES)(x),
        "gathered": jax.pmap(lambda a: lax.all_gather(a, "i"), axis_name="i", devices=DEVICES)(x),
        "scattered": jax.pmap(lambda a: lax.psum_scatter(a[:4], "i"), axis_name="i", devices=DEVICES)(x),
        "exchanged": jax.pmap(lambda a: lax.all_to_all(a[:4], "i", 0, 0), axis_name="i", devices=DEVICES)(x),
        "alone": jax.pmap(jnp.sin, devices=DEVICES)(x),
        "of_two": jax.pmap(lambda a, b: (a + b, a - b), in_axes=(0, None), devices=DEVICES)(x, x[0])[1],
        "batched": jax.vmap(jax.pmap(lambda a: a - lax.pmean(a, "i"), axis_name="i", devices=DEVICES), in_axes=1)(x)}
    np.testing.assert_allclose(results["normalized"], x / x.sum(0), rtol=1e-4, atol=1e-4)
    np.testing.assert_array_equal(results["exchanged"], x[:, :4].swapaxes(0, 1))
    weights = np.zeros((5, 1), np.float32)
    losses = []
    for _ in range(10):
        weights, loss = step(weights, x, y)
        losses.append(loss)
    results |= {"weights": weights, "losses": jnp.stack(losses)}
    assert losses[-1].sum() < losses[0].sum()
    results["passed"], results["sums"] = passed_on(x, 3)
    moved = jnp.array(x)
    for _ in range(3):
        moved = jnp.roll(moved, 1, axis=0) + jnp.arange(4.0)[:, None, None]
    np.testing.assert_allclose(results["passed"], moved, rtol=1e-5)
    donated = jax.pmap(lambda a: a + 1, devices=DEVICES)(x)
    results["donating"] = jax.pmap(lambda a: a * 2, donate_argnums=0, devices=DEVICES)(donated)
    assert donated.is_deleted()
    results["of_sums"] = jax.pmap(jax.grad(lambda a: lax.psum(jnp.sum(a ** 3), "i")), axis_name="i", devices=DEVICES)(x)
    np.savez(sys.argv[1], **results)


if __name__ == "__main__":
    main()
