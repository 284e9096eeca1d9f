#!/usr/bin/env python3
"""Writes training steps for 2x2 devices: StableHLO text with shardings, from JAX on the CPU.

    JAX_PLATFORMS=cpu python tests/programs/spmd/make.py           writes <model>_<layout>.mlir beside it
    JAX_PLATFORMS=cpu python tests/programs/spmd/make.py --counts  prints XLA's collectives of each

The models are a multilayer perceptron (mlp) and a transformer block (block), each with one step of
gradient descent. The layouts are data parallel (dp: the batch is divided), tensor parallel (tp: the
weights are divided as Megatron does), both (dp_tp), fully sharded data parallel (fsdp: the batch
and the weights are divided along all devices), and that along one axis with tensor parallelism along
the other (fsdp_tp). partition_counts_test.cc reads the texts.
"""

import collections
import os
import pathlib
import re
import sys

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=4"

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

HERE = pathlib.Path(__file__).parent
MESH = Mesh(np.array(jax.devices()[:4]).reshape(2, 2), ("x", "y"))
RATE = 0.125


def mlp_loss(params, x, target):
    hidden = jax.nn.relu(x @ params["w1"])
    return jnp.mean((hidden @ params["w2"] - target) ** 2)


def rms_norm(x, scale):
    return x * jax.lax.rsqrt(jnp.mean(x * x, -1, keepdims=True) + 1e-6) * scale


def block_loss(params, x, target):
    h = rms_norm(x, params["norm1"])
    q = jnp.einsum("btd,dhk->bthk", h, params["wq"])
    k = jnp.einsum("btd,dhk->bthk", h, params["wk"])
    v = jnp.einsum("btd,dhk->bthk", h, params["wv"])
    scores = jax.nn.softmax(jnp.einsum("bthk,bshk->bhts", q, k), axis=-1)
    x = x + jnp.einsum("bthk,hkd->btd", jnp.einsum("bhts,bshk->bthk", scores, v), params["wo"])
    h = rms_norm(x, params["norm2"])
    x = x + jax.nn.silu(h @ params["w1"]) @ params["w2"]
    return jnp.mean((x - target) ** 2)


# By model: the loss, the shapes of parameters and data, and the dimensions of each parameter that
# tensor parallelism and sharded data parallelism divide.
MODELS = {
    "mlp": (
        mlp_loss,
        {"w1": (8, 16), "w2": (16, 8)},
        (8, 8),
        {"w1": 1, "w2": 0},
        {"w1": 0, "w2": 1},
    ),
    "block": (
        block_loss,
        {
            "norm1": (16,), "wq": (16, 4, 4), "wk": (16, 4, 4), "wv": (16, 4, 4), "wo": (4, 4, 16),
            "norm2": (16,), "w1": (16, 32), "w2": (32, 16),
        },
        (8, 4, 16),
        {"wq": 1, "wk": 1, "wv": 1, "wo": 0, "w1": 1, "w2": 0},
        {"norm1": 0, "wq": 0, "wk": 0, "wv": 0, "wo": 2, "norm2": 0, "w1": 0, "w2": 1},
    ),
}

# The axes of the batch, of tensor parallelism and of sharded data parallelism.
LAYOUTS = {
    "dp": (("x", "y"), None, None),
    "tp": (None, ("x", "y"), None),
    "dp_tp": ("x", "y", None),
    "fsdp": (("x", "y"), None, ("x", "y")),
    "fsdp_tp": ("x", "y", "x"),
}


def lower(model, layout):
    loss, shapes, data, tensor, sharded = MODELS[model]
    batch, tp, fsdp = LAYOUTS[layout]

    def spec(name):
        dims = [None] * len(shapes[name])
        if tp is not None and name in tensor:
            dims[tensor[name]] = tp
        if fsdp is not None and name in sharded:
            dims[sharded[name]] = fsdp
        return NamedSharding(MESH, P(*dims))

    def step(params, x, target):
        value, grads = jax.value_and_grad(loss)(params, x, target)
        return value, {name: params[name] - RATE * grads[name] for name in params}

    params = {name: spec(name) for name in shapes}
    of_data = NamedSharding(MESH, P(batch))
    jitted = jax.jit(
        step,
        in_shardings=(params, of_data, of_data),
        out_shardings=(NamedSharding(MESH, P()), params),
    )
    array = lambda shape: jax.ShapeDtypeStruct(shape, jnp.float32)
    return jitted.lower({name: array(shape) for name, shape in shapes.items()}, array(data), array(data))


def collectives_of(text):
    counts = collections.Counter(
        re.findall(r" (all-gather|all-reduce|all-to-all|collective-permute|reduce-scatter)(?:-start)?\(", text)
    )
    return ", ".join(f"{count} {name.replace('-', '_')}" for name, count in sorted(counts.items()))


def main():
    for model in MODELS:
        for layout in LAYOUTS:
            lowered = lower(model, layout)
            if "--counts" in sys.argv:
                print(f"{model}_{layout}: {collectives_of(lowered.compile().as_text())}")
            else:
                (HERE / f"{model}_{layout}.mlir").write_text(lowered.as_text())


if __name__ == "__main__":
    main()
