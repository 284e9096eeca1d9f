"""A mixture of experts, one on each device: tokens go to the device of their expert and come back, by all_to_all;
forward and gradients, as on one device."""

import sys

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

EXPERTS, WIDTH, TOKENS, ROOM = 4, 8, 40, 10  # ROOM: of each device for each expert, as many as it has tokens


def expert(weights, x):
    return jax.nn.gelu(x @ weights["up"]) @ weights["down"]


def dense(weights, router, x):
    """Each token through all experts, of which its own counts."""
    probabilities = jax.nn.softmax(x @ router)
    chosen = probabilities.argmax(-1)
    outputs = jax.vmap(expert, (0, None))(weights, x)
    return outputs[chosen, jnp.arange(len(x))] * probabilities.max(-1, keepdims=True)


def routed(weights, router, x):
    """Of one device, which has some tokens and the weights of one expert."""
    weights = jax.tree.map(lambda w: w[0], weights)
    probabilities = jax.nn.softmax(x @ router)
    chosen = probabilities.argmax(-1)
    order = jnp.argsort(chosen, stable=True)
    first = jnp.searchsorted(chosen[order], jnp.arange(EXPERTS))
    place = jnp.arange(len(x)) - first[chosen[order]]
    sent = jnp.zeros((EXPERTS, ROOM, WIDTH)).at[chosen[order], place].set(x[order], mode="drop")
    arrived = lax.all_to_all(sent, "expert", 0, 0)
    answers = lax.all_to_all(expert(weights, arrived), "expert", 0, 0)
    outputs = jnp.zeros_like(x).at[order].set(answers[chosen[order], place])
    return outputs * probabilities.max(-1, keepdims=True)


def main():
    mesh = Mesh(np.array(jax.devices()[:EXPERTS]), ("expert",))
    key = jax.random.key(0)
    weights = {"up": jax.random.normal(jax.random.fold_in(key, 0), (EXPERTS, WIDTH, 2 * WIDTH)) / 2,
               "down": jax.random.normal(jax.random.fold_in(key, 1), (EXPERTS, 2 * WIDTH, WIDTH)) / 2}
    router = jax.random.normal(jax.random.fold_in(key, 2), (WIDTH, EXPERTS))
    x = jax.random.normal(jax.random.fold_in(key, 3), (TOKENS, WIDTH))
    divided = jax.device_put(weights, NamedSharding(mesh, P("expert")))
    tokens = jax.device_put(x, NamedSharding(mesh, P("expert")))
    through = jax.shard_map(routed, mesh=mesh, in_specs=(P("expert"), P(), P("expert")), out_specs=P("expert"))
    output = jax.jit(through)(divided, router, tokens)
    np.testing.assert_allclose(output, jax.jit(dense)(weights, router, x), rtol=1e-4, atol=1e-5)

    def gradients_of(function):
        return jax.jit(jax.grad(lambda *arguments: (function(*arguments) ** 2).sum(), argnums=(0, 1, 2)))

    gradients, of_router, of_x = gradients_of(through)(divided, router, tokens)
    expected, expected_of_router, expected_of_x = gradients_of(dense)(weights, router, x)
    np.testing.assert_allclose(of_router, expected_of_router, rtol=1e-3, atol=1e-3)
    np.testing.assert_allclose(of_x, expected_of_x, rtol=1e-3, atol=1e-3)
    for name in weights:
        np.testing.assert_allclose(gradients[name], expected[name], rtol=1e-3, atol=1e-3)
    np.savez(sys.argv[1], output=output, of_router=of_router, of_x=of_x, **gradients)


if __name__ == "__main__":
    main()
