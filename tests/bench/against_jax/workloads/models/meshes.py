"""Programs on a mesh of four devices: small calls, sums over devices, and training steps of a perceptron and of a
transformer block, divided in the usual ways."""

import functools

import jax
import jax.numpy as jnp
from jax.sharding import PartitionSpec

from ...operands import filled, integers, uniform
from ...workload import Workload, is_spec, training_step
from ..arrays.normalization import layer_norm
from .optimizers import sgd

DEVICES = {"x": 4}
ALL = ("x",)
NONE = ()


def _of_each(function, mesh_axes=("x",)):
    """The function of each device's part of one array, along its first dimension."""
    spec = PartitionSpec(mesh_axes)

    def call(x):
        # The mesh of the operands' shardings.
        mesh = jax.make_mesh((4,), mesh_axes, axis_types=(jax.sharding.AxisType.Auto,))
        return jax.shard_map(function, mesh=mesh, in_specs=spec, out_specs=spec, check_vma=False)(x)

    return call


def _sum_in_loop(x):
    return jax.lax.fori_loop(0, 100, lambda _, x: jax.lax.psum(x, "x") * 0.25, x)


def _call(name, function, size):
    return Workload(f"mesh_{name}", function, (uniform(size),), mesh=DEVICES, specs=(ALL,), result_specs=ALL)


CALLS = [
    _call("elementwise", lambda x: x * 0.999 + 0.001, 64),
    _call("psum", _of_each(lambda x: jax.lax.psum(x, "x") * 0.25), 64),
    _call("psum_in_loop_of_100", _of_each(_sum_in_loop), 64),
    _call("psum_of_4_mib", _of_each(lambda x: jax.lax.psum(x, "x") * 0.25), 4 << 20),
]


# How parameters are divided: "in" dimensions are contracted by a layer, "out" dimensions are its features; layers come
# in pairs, between which the features are divided over "model".
def _divided(kind, axes_of):
    """The spec of a weight: axes by the names of its dimensions."""
    return tuple(axes_of.get(name) for name in kind)


WAYS = {  # the mesh, where the batch is, and where the dimensions of parameters are
    "data": ({"data": 4}, "data", {}),
    "tensor": ({"model": 4}, None, {"hidden": "model"}),
    "data_tensor": ({"data": 2, "model": 2}, "data", {"hidden": "model"}),
    "fsdp": ({"data": 4}, "data", {"width": "data"}),
    "fsdp_tensor": ({"data": 2, "model": 2}, "data", {"width": "data", "hidden": "model"}),
}


def _step(name, loss, parameters, kinds, operands):
    """A training step divided in each of the ways. `kinds` names the dimensions of each parameter."""
    for way, (mesh, batch, axes_of) in WAYS.items():
        specs = (jax.tree.map(functools.partial(_divided, axes_of=axes_of), kinds, is_leaf=is_spec),)
        yield Workload(f"mesh_{name}_{way}", training_step(loss, sgd), ((parameters,), *operands), tolerance=1e-4,
                       mesh=mesh, specs=(specs, *(((batch,),) * len(operands))), result_specs=(NONE, specs))


def _weights(fan_in, fan_out, seed):
    bound = (3 / fan_in) ** 0.5
    return uniform(fan_in, fan_out, seed=seed, low=-bound, high=bound)


# Perceptron.
SIZES = (512, 2048, 512)


def _perceptron_loss(parameters, x, labels):
    up, up_bias, down, down_bias = parameters
    logits = jax.nn.relu(x @ up + up_bias) @ down + down_bias
    return -jnp.take_along_axis(jax.nn.log_softmax(logits), labels[:, None], axis=1).mean()


PERCEPTRON = (_weights(512, 2048, 1), filled(2048, value=0.01), _weights(2048, 512, 2), filled(512, value=0.0))
PERCEPTRON_KINDS = (("width", "hidden"), ("hidden",), ("hidden", "width"), ("width",))

# Transformer block.
WIDTH, HEADS, LENGTH, BATCH = 256, 8, 128, 8


def _block(parameters, x):
    def heads(name):
        return (layer_norm(x, *parameters["norm_1"]) @ parameters[name]).reshape(*x.shape[:2], HEADS, WIDTH // HEADS)

    scores = jnp.einsum("bqhd,bkhd->bhqk", heads("query"), heads("key")) * (WIDTH // HEADS) ** -0.5
    scores = jnp.where(jnp.tril(jnp.ones((LENGTH, LENGTH), bool)), scores, -1e9)
    mixed = jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(scores), heads("value"))
    x = x + mixed.reshape(x.shape) @ parameters["projection"]
    return x + jax.nn.gelu(layer_norm(x, *parameters["norm_2"]) @ parameters["up"]) @ parameters["down"]


def _block_loss(parameters, x, target):
    return jnp.square(_block(parameters, x) - target).mean()


BLOCK = {"norm_1": (filled(WIDTH, value=1.0), filled(WIDTH, value=0.0)),
         "norm_2": (filled(WIDTH, value=1.0), filled(WIDTH, value=0.0)),
         **{name: _weights(WIDTH, WIDTH, seed) for seed, name in enumerate(("query", "key", "value", "projection"))},
         "up": _weights(WIDTH, 4 * WIDTH, 12), "down": _weights(4 * WIDTH, WIDTH, 13)}
BLOCK_KINDS = {"norm_1": (("width",), ("width",)), "norm_2": (("width",), ("width",)),
               **{name: ("width", "hidden") for name in ("query", "key", "value", "up")},
               "projection": ("hidden", "width"), "down": ("hidden", "width")}

WORKLOADS = [
    *CALLS,
    *_step("perceptron_step", _perceptron_loss, PERCEPTRON, PERCEPTRON_KINDS,
           (uniform(128, 512, seed=3), integers(128, below=512, seed=4))),
    *_step("block_step", _block_loss, BLOCK, BLOCK_KINDS,
           (uniform(BATCH, LENGTH, WIDTH, seed=5), uniform(BATCH, LENGTH, WIDTH, seed=6))),
]
