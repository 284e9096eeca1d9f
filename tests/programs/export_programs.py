#!/usr/bin/env python3
"""Exports the program suite: StableHLO text, inputs and expected results, from JAX on the CPU.

    python3 -m venv /tmp/jax && /tmp/jax/bin/pip install jax numpy
    JAX_PLATFORMS=cpu /tmp/jax/bin/python tests/programs/export_programs.py

Writes <name>.mlir, the arrays it needs and manifest.json beside this script. The test that reads them is
programs_test.cc. Large arrays are not stored: an input may be a formula that both sides compute
(`hash_uniform`), an output may be the values at sampled positions.

Manifest, per program:
  inputs   {"npy": file} or {"hash_uniform": seed, "dtype": "f32", "shape": [..]}
  outputs  {"npy": file} or {"shape": [..], "positions": file, "values": file}; positions are linear
           indices (i64)
  atol, rtol  |actual - expected| <= atol + rtol * |expected|
"""

import json
import pathlib

import jax
import jax.numpy as jnp
import numpy as np

HERE = pathlib.Path(__file__).parent
MAX_STORED_BYTES = 64 * 1024
NUM_SAMPLES = 4096


def hash_uniform(seed: int, shape) -> np.ndarray:
    """Uniform floats in [-1, 1) from a 32-bit integer hash of seed and index; exact in f32."""
    n = int(np.prod(shape))
    x = np.arange(n, dtype=np.uint32) + np.uint32((seed * 0x9E3779B9) & 0xFFFFFFFF)
    x ^= x >> np.uint32(16)
    x *= np.uint32(0x7FEB352D)
    x ^= x >> np.uint32(15)
    x *= np.uint32(0x846CA68B)
    x ^= x >> np.uint32(16)
    return ((x >> np.uint32(8)).astype(np.float32) * np.float32(2.0**-23) - np.float32(1)).reshape(shape)


class Hashed:
    """An input given by formula."""

    def __init__(self, seed, *shape):
        self.seed, self.shape = seed, shape
        self.value = hash_uniform(seed, shape)


def export(name, function, args, atol, rtol):
    values = [a.value if isinstance(a, Hashed) else np.asarray(a) for a in args]
    (HERE / f"{name}.mlir").write_text(jax.jit(function).lower(*values).as_text())
    results = [np.asarray(r) for r in jax.tree.leaves(jax.jit(function)(*values))]

    inputs = []
    for i, (arg, value) in enumerate(zip(args, values)):
        if isinstance(arg, Hashed):
            inputs.append({"hash_uniform": arg.seed, "dtype": "f32", "shape": list(arg.shape)})
        else:
            file = f"{name}.in{i}.npy"
            np.save(HERE / file, value)
            inputs.append({"npy": file})

    outputs = []
    for i, result in enumerate(results):
        if result.nbytes <= MAX_STORED_BYTES:
            file = f"{name}.out{i}.npy"
            np.save(HERE / file, result)
            outputs.append({"npy": file})
        else:
            positions = np.sort(np.random.default_rng(i).choice(result.size, NUM_SAMPLES, replace=False))
            np.save(HERE / f"{name}.out{i}.positions.npy", positions.astype(np.int64))
            np.save(HERE / f"{name}.out{i}.values.npy", result.reshape(-1)[positions])
            outputs.append({"shape": list(result.shape), "positions": f"{name}.out{i}.positions.npy",
                            "values": f"{name}.out{i}.values.npy"})
    return {"name": name, "inputs": inputs, "outputs": outputs, "atol": atol, "rtol": rtol}


def selu(x, alpha=1.67, lambda_=1.05):
    return lambda_ * jnp.where(x > 0, x, alpha * jnp.exp(x) - alpha)


def gram(x):
    return x @ x.T


def random_walk(key, realizations, steps):
    """A gaussian random walk per realization: split keys, draw normals, scan over the steps."""

    def walk(key):
        def step(position, step_key):
            position = position + jax.random.normal(step_key)
            return position, position

        return jax.lax.scan(step, 0.0, jax.random.split(key, steps))[1]

    return jax.vmap(walk)(jax.random.split(key, realizations))


def sum_of_logistics(x):
    return jnp.sum(1.0 / (1.0 + jnp.exp(-x)))


@jax.jit
def inner(x):
    return jnp.sin(x) * 0.9 + x * 0.1


def nested(x):
    for _ in range(100):
        x = inner(x)
    return x


def layer_norm(x, scale, bias):
    mean = jnp.mean(x, axis=-1, keepdims=True)
    variance = jnp.var(x, axis=-1, keepdims=True)
    return (x - mean) * jax.lax.rsqrt(variance + 1e-5) * scale + bias


def mlp_loss(parameters, images, labels):
    x = images
    for weights, bias in parameters[:-1]:
        x = jax.nn.relu(x @ weights + bias)
    weights, bias = parameters[-1]
    log_probabilities = jax.nn.log_softmax(x @ weights + bias)
    return -jnp.mean(jnp.sum(log_probabilities * jax.nn.one_hot(labels, 10), axis=-1))


def mlp_step(w1, b1, w2, b2, w3, b3, v1, c1, v2, c2, v3, c3, images, labels):
    """One SGD step with momentum 0.9, learning rate 0.05; returns loss, parameters, velocities."""
    parameters = [(w1, b1), (w2, b2), (w3, b3)]
    velocities = [(v1, c1), (v2, c2), (v3, c3)]
    loss, gradients = jax.value_and_grad(mlp_loss)(parameters, images, labels)
    velocities = jax.tree.map(lambda v, g: 0.9 * v - 0.05 * g, velocities, gradients)
    parameters = jax.tree.map(lambda p, v: p + v, parameters, velocities)
    return loss, parameters, velocities


def mlp_arguments(sizes, batch):
    weights = [Hashed(10 + i, *shape) for i, shape in enumerate(
        s for m, n in zip(sizes, sizes[1:]) for s in ((m, n), (n,)))]
    velocities = [Hashed(20 + i, *w.shape) for i, w in enumerate(weights)]
    images = Hashed(30, batch, sizes[0])
    labels = (np.arange(batch) * 7 % 10).astype(np.int32)
    return weights + velocities + [images, labels]


def main():
    key = np.array([0, 42], dtype=np.uint32)
    programs = [
        export("selu_1m", selu, [Hashed(1, 1_000_000)], 1e-6, 1e-6),
        export("gram_1000", gram, [Hashed(2, 1000, 1000)], 1e-3, 1e-4),
        export("gram_5000", gram, [Hashed(3, 5000, 5000)], 5e-3, 1e-4),
        export("random_walk", lambda k: random_walk(k, 200, 500), [key], 1e-3, 1e-4),
        export("sum_of_logistics_grad", jax.grad(sum_of_logistics), [Hashed(4, 3000)], 1e-6, 1e-5),
        export("nested_jit_100", nested, [Hashed(5, 257)], 1e-5, 1e-5),
        export("softmax", lambda x: jax.nn.softmax(x * 8), [Hashed(6, 64, 1000)], 1e-7, 1e-5),
        export("layer_norm", layer_norm, [Hashed(7, 96, 768), Hashed(8, 768), Hashed(9, 768)], 1e-5, 1e-5),
        export("mlp_step", mlp_step, mlp_arguments([784, 128, 64, 10], 32), 2e-3, 2e-4),
    ]
    (HERE / "manifest.json").write_text(json.dumps({"programs": programs}, indent=1) + "\n")


if __name__ == "__main__":
    main()
