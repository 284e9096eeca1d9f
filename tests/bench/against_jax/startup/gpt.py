"""Trains a GPT of four layers for as many steps as its argument says, and prints when it got how far.

One JSON object, seconds of the system's monotonic clock: "imported", "first_step" (its loss was there), "last_step".
"""

import json
import sys
import time

import jax
import jax.numpy as jnp
import optax

IMPORTED = time.monotonic()
LAYERS, WIDTH, HEADS, VOCABULARY, LENGTH, BATCH = 4, 128, 4, 512, 64, 8


def initialize(key):
    keys = iter(jax.random.split(key, 2 + 4 * LAYERS))

    def normal(*shape):
        return 0.02 * jax.random.normal(next(keys), shape)

    return {"tokens": normal(VOCABULARY, WIDTH), "positions": normal(LENGTH, WIDTH), "blocks": [
        {"attention": normal(WIDTH, 3 * WIDTH), "projection": normal(WIDTH, WIDTH), "up": normal(WIDTH, 4 * WIDTH),
         "down": normal(4 * WIDTH, WIDTH), "scales": jnp.ones((2, WIDTH))} for _ in range(LAYERS)]}


def normalize(x, scale):
    centered = x - x.mean(-1, keepdims=True)
    return scale * centered * jax.lax.rsqrt((centered**2).mean(-1, keepdims=True) + 1e-5)


def attend(x, block):
    q, k, v = (part.reshape(*x.shape[:2], HEADS, -1) for part in jnp.split(x @ block["attention"], 3, -1))
    return jax.nn.dot_product_attention(q, k, v, is_causal=True).reshape(x.shape) @ block["projection"]


def loss_of(parameters, tokens):
    x = parameters["tokens"][tokens] + parameters["positions"]
    for block in parameters["blocks"]:
        x = x + attend(normalize(x, block["scales"][0]), block)
        x = x + jax.nn.gelu(normalize(x, block["scales"][1]) @ block["up"]) @ block["down"]
    logits = (x @ parameters["tokens"].T)[:, :-1]
    return optax.softmax_cross_entropy_with_integer_labels(logits, tokens[:, 1:]).mean()


def main(steps):
    optimizer = optax.adamw(1e-3)

    @jax.jit
    def step(parameters, state, tokens):
        loss, gradients = jax.value_and_grad(loss_of)(parameters, tokens)
        updates, state = optimizer.update(gradients, state, parameters)
        return optax.apply_updates(parameters, updates), state, loss

    parameters = jax.jit(initialize)(jax.random.key(0))
    state = jax.jit(optimizer.init)(parameters)
    tokens = jax.random.randint(jax.random.key(1), (BATCH, LENGTH), 0, VOCABULARY)
    times = []
    for _ in range(steps):
        parameters, state, loss = step(parameters, state, tokens)
        loss = float(loss)
        times.append(time.monotonic())
    print(json.dumps({"imported": IMPORTED, "first_step": times[0], "last_step": times[-1], "loss": loss}))


if __name__ == "__main__":
    main(int(sys.argv[1]))
