"""Trains a deep network whose parameters are divided over four devices (FSDP), without rematerialization: the weights of
few layers at a time are whole on a device."""

import sys

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

LAYERS, WIDTH, BATCH = 32, 256, 256


def loss_of(parameters, x, y):
    for weights in parameters:
        x = x + jnp.tanh(x @ weights)
    return jnp.mean((x - y) ** 2)


def step(parameters, momentum, x, y):
    loss, gradients = jax.value_and_grad(loss_of)(parameters, x, y)
    momentum = jax.tree.map(lambda m, g: 0.9 * m + g, momentum, gradients)
    return jax.tree.map(lambda p, m: p - 0.1 * m, parameters, momentum), momentum, loss


def compiled_and_bytes(shardings, batches, arguments):
    placed = jax.device_put(arguments, (shardings, shardings, batches, batches))
    compiled = jax.jit(step, donate_argnums=(0, 1), out_shardings=(shardings, shardings, None)).lower(*placed).compile()
    memory = compiled.memory_analysis()
    return compiled, placed, (memory.argument_size_in_bytes + memory.output_size_in_bytes + memory.temp_size_in_bytes
                              - memory.alias_size_in_bytes)


def main():
    keys = jax.random.split(jax.random.key(0), LAYERS)
    parameters = [jax.random.normal(key, (WIDTH, WIDTH)) * 0.02 for key in keys]
    x = jax.random.normal(jax.random.key(1), (BATCH, WIDTH))
    arguments = jax.tree.map(np.asarray, (parameters, [jnp.zeros_like(p) for p in parameters], x, jnp.sin(x)))

    one = jax.sharding.SingleDeviceSharding(jax.devices()[0])
    alone, alone_arguments, bytes_alone = compiled_and_bytes([one] * LAYERS, one, arguments)
    mesh = Mesh(np.array(jax.devices()[:4]), ("all",))
    divided, divided_arguments, bytes_divided = compiled_and_bytes(
        [NamedSharding(mesh, P("all"))] * LAYERS, NamedSharding(mesh, P("all")), arguments)
    if jax.default_backend() != "cpu":  # JAX's CPU platform keeps all weights
        assert bytes_divided < 1.2 * bytes_alone / 4, (bytes_divided, bytes_alone)

    new, _, loss = divided(*divided_arguments)
    expected, _, expected_loss = alone(*alone_arguments)
    np.testing.assert_allclose(loss, expected_loss, rtol=1e-5)
    for one_new, one_expected in zip(new, expected):
        np.testing.assert_allclose(one_new, one_expected, rtol=1e-4, atol=1e-6)
    np.savez(sys.argv[1], loss=loss, first=new[0], last=new[-1])


if __name__ == "__main__":
    main()
