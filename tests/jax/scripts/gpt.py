"""Trains a small GPT, its layers in a scan with rematerialization, and generates text from it."""

import functools
import sys

import jax
import jax.numpy as jnp
import numpy as np
import optax

LAYERS, WIDTH, HEADS, VOCABULARY, LENGTH = 3, 32, 4, 50, 24


def initialize(key):
    def normal(i, *shape):
        return 0.1 * jax.random.normal(jax.random.fold_in(key, i), shape)

    return {
        "tokens": normal(0, VOCABULARY, WIDTH), "positions": normal(1, LENGTH, WIDTH),
        "blocks": {"attention": normal(2, LAYERS, WIDTH, 3 * WIDTH), "projection": normal(3, LAYERS, WIDTH, WIDTH),
                   "up": normal(4, LAYERS, WIDTH, 4 * WIDTH), "down": normal(5, LAYERS, 4 * WIDTH, WIDTH),
                   "scale": jnp.ones((LAYERS, 2, WIDTH))},
    }


def normalize(x, scale):
    return scale * x * jax.lax.rsqrt(jnp.mean(x * x, -1, keepdims=True) + 1e-6)


def block(x, layer):
    length = x.shape[1]
    q, k, v = jnp.split(normalize(x, layer["scale"][0]) @ layer["attention"], 3, axis=-1)
    q, k, v = (a.reshape(*a.shape[:2], HEADS, WIDTH // HEADS) for a in (q, k, v))
    attended = jax.nn.dot_product_attention(q, k, v, is_causal=True).reshape(-1, length, WIDTH)
    x = x + attended @ layer["projection"]
    return x + jax.nn.gelu(normalize(x, layer["scale"][1]) @ layer["up"]) @ layer["down"], None


def logits_of(parameters, tokens):
    x = parameters["tokens"][tokens] + parameters["positions"][:tokens.shape[1]]
    x, _ = jax.lax.scan(jax.checkpoint(block), x, parameters["blocks"])
    return x @ parameters["tokens"].T


def loss_of(parameters, tokens):
    logits = logits_of(parameters, tokens[:, :-1])
    return optax.softmax_cross_entropy_with_integer_labels(logits, tokens[:, 1:]).mean()


@functools.partial(jax.jit, static_argnames="steps")
def generate(parameters, prompt, steps):
    padded = jnp.zeros((1, LENGTH), jnp.int32).at[:, :prompt.shape[1]].set(prompt)

    def step(tokens, position):
        following = jnp.argmax(logits_of(parameters, tokens)[:, position - 1], -1)
        return jax.lax.dynamic_update_slice(tokens, following[:, None].astype(jnp.int32), (0, position)), None

    return jax.lax.scan(step, padded, prompt.shape[1] + jnp.arange(steps))[0]


def main():
    optimizer = optax.adamw(3e-3)
    parameters = initialize(jax.random.key(0))

    @functools.partial(jax.jit, donate_argnums=(0, 1))
    def train_step(parameters, state, tokens):
        loss, gradients = jax.value_and_grad(loss_of)(parameters, tokens)
        updates, state = optimizer.update(gradients, state, parameters)
        return optax.apply_updates(parameters, updates), state, loss

    # Counting up, which is soon learned, so that the tokens that are generated hang on no rounding.
    tokens = (jnp.arange(LENGTH) + jax.random.randint(jax.random.key(1), (30, 8, 1), 0, VOCABULARY)) % VOCABULARY
    state, losses = optimizer.init(parameters), []
    for batch in tokens:
        parameters, state, loss = train_step(parameters, state, batch)
        losses.append(loss)
    np.savez(sys.argv[1], losses=jnp.stack(losses), logits=jax.jit(logits_of)(parameters, tokens[0, :2, :-1]),
             generated=generate(parameters, tokens[0, :1, :8], steps=10))


if __name__ == "__main__":
    main()
