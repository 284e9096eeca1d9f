"""Fits a small model with several of Optax's optimizers, schedules, clipping, accumulation and averages."""

import sys

import jax
import jax.numpy as jnp
import numpy as np
import optax

SCHEDULE = optax.warmup_cosine_decay_schedule(0.0, 0.02, warmup_steps=5, decay_steps=30)
OPTIMIZERS = {
    "adamw": optax.chain(optax.clip_by_global_norm(0.5), optax.adamw(SCHEDULE, weight_decay=1e-2)),
    "lamb": optax.lamb(0.01),
    "lion": optax.lion(1e-3),
    "adafactor": optax.adafactor(0.01, min_dim_size_to_factor=4),
    "rmsprop": optax.rmsprop(optax.exponential_decay(0.01, 10, 0.9), momentum=0.5),
    "multi_steps": optax.MultiSteps(optax.sgd(optax.piecewise_constant_schedule(0.1, {4: 0.5})), every_k_schedule=3),
    "lookahead": optax.chain(optax.clip(0.1), optax.add_noise(0.01, 0.55, key=0), optax.nadam(0.01)),
    "masked": optax.partition({"weights": optax.adam(0.01), "biases": optax.set_to_zero()},
                              {"w0": "weights", "b0": "biases", "w1": "weights"}),
}


def loss_of(parameters, x, y):
    hidden = jnp.tanh(x @ parameters["w0"] + parameters["b0"])
    return optax.losses.huber_loss(hidden @ parameters["w1"], y).mean()


def train(optimizer, parameters, x, y):
    @jax.jit
    def step(parameters, state):
        loss, gradients = jax.value_and_grad(loss_of)(parameters, x, y)
        updates, state = optimizer.update(gradients, state, parameters)
        return optax.apply_updates(parameters, updates), state, loss

    state, losses = optimizer.init(parameters), []
    for _ in range(12):
        parameters, state, loss = step(parameters, state)
        losses.append(loss)
    return jnp.stack(losses), optax.global_norm(parameters)


def main():
    keys = jax.random.split(jax.random.key(0), 4)
    x, y = jax.random.normal(keys[0], (32, 6)), jax.random.normal(keys[1], (32, 5))
    parameters = {"w0": jax.random.normal(keys[2], (6, 8)) * 0.4, "b0": jnp.ones(8) * 0.1,
                  "w1": jax.random.normal(keys[3], (8, 5)) * 0.4}
    results = {"schedule": jnp.stack([SCHEDULE(i) for i in range(30)])}
    for name, optimizer in OPTIMIZERS.items():
        results[f"{name}_losses"], results[f"{name}_norm"] = train(optimizer, parameters, x, y)
    np.savez(sys.argv[1], **results)


if __name__ == "__main__":
    main()
