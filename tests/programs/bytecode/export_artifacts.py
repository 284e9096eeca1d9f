#!/usr/bin/env python3
"""Exports portable artifacts (MLIR bytecode) with the text of the same module beside each, from JAX on the CPU.

    python3 -m venv /tmp/jax && /tmp/jax/bin/pip install jax numpy
    JAX_PLATFORMS=cpu /tmp/jax/bin/python tests/programs/bytecode/export_artifacts.py [FOLDER]

Without FOLDER it writes the few artifacts that are committed: those of COMMITTED beside this script and those of
CORPUS, in several versions of the format, into tests/fuzz/corpus/bytecode. With FOLDER it writes every function of
FUNCTIONS and MESHES at every version of VERSIONS that can hold it; bytecode_twins_test checks them when
ACCELD_BYTECODE_DIR names that folder.

Needs a JAX with StableHLO 1.20 or later: collective_reduce is of 1.19, and the root of collective_broadcast of 1.20.
JAX 0.10 writes groups of processes as lists and the op all_reduce of Shardy without its reduction: with it, the script
writes only OLDER, as NAME.older.mlir.bc.
"""

import io
import os
import pathlib
import sys

# Before JAX is imported: the programs of MESHES are for four devices.
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=4"

import jax
import jax.numpy as jnp
import numpy as np
from jax import export, lax
from jax._src.interpreters.mlir import make_ir_context
from jax._src.lib import _jax
from jaxlib.mlir import ir
from jax.sharding import AxisType, Mesh, NamedSharding, PartitionSpec
from jaxlib.mlir.dialects import sdy, stablehlo

HERE = pathlib.Path(__file__).parent
CORPUS_FOLDER = HERE.parents[1] / "fuzz" / "corpus" / "bytecode"

# Targets: None is what JAX itself writes. 0.9 to 0.14 are the older versions of the container.
VERSIONS = [None, "0.9.0", "0.11.0", "0.13.0", "0.14.0", "0.19.0", "1.0.0", "1.5.0", "1.8.0", "1.13.0", "1.17.0", "1.18.0", "1.19.0", "1.20.0"]

f32 = np.float32


def x(*shape, dtype=f32):
    return (np.arange(int(np.prod(shape))).reshape(shape) % 7 + 1).astype(dtype)


def loss(w, b, a):
    return jnp.mean(jnp.tanh(a @ w + b) ** 2)


def conv(a, k):
    return lax.conv_general_dilated(a, k, (2, 1), [(1, 0), (-1, 2)], rhs_dilation=(1, 2), feature_group_count=2,
                                    dimension_numbers=("NCHW", "OIHW", "NCHW"))


def sharded(a):
    mesh = Mesh(np.array(jax.devices()[:1]), ("a",))
    return lax.with_sharding_constraint(a * 2, NamedSharding(mesh, PartitionSpec("a"))) + 1


def scan(a):
    return lax.scan(lambda c, v: (c * 0.5 + v, c), a[0], a)


FUNCTIONS = {
    "add": (lambda a, b: a + b, [x(3), x(3)]),
    "elementwise": (lambda a: (jnp.exp(a) + jnp.sin(a) * jnp.cos(a) - jnp.log(a) / jnp.sqrt(a), jnp.tan(a), jnp.cbrt(a),
                               lax.rsqrt(a), jnp.expm1(a), jnp.log1p(a), lax.logistic(a), jnp.floor(a), jnp.round(a),
                               jnp.power(a, a), jnp.arctan2(a, a), jnp.isfinite(a), jnp.sign(a)), [x(5)]),
    "integers": (lambda a: (a << 2, a >> 1, a // 3, a % 3, a & 5, a | 8, ~a, a ^ 3, lax.clz(a), lax.population_count(a),
                            lax.shift_right_logical(a, np.int32(2)), -a, abs(a)), [x(6, dtype=np.int32)]),
    "compare": (lambda a, b: (a < b, a >= b, a == b, jnp.where(a > b, a, b), jnp.clip(a, 1, 3)), [x(4), x(4)]),
    "total_order": (lambda a: lax.sort(a), [x(9)]),
    "complex": (lambda a, b: (lax.complex(a, b) * (1 - 2j), jnp.real(lax.complex(a, b)), jnp.abs(a + 1j * b)), [x(4), x(4)]),
    "narrow_floats": (lambda a: (a.astype(jnp.bfloat16) * 3, a.astype(jnp.float16) + 1, a.astype(jnp.float8_e4m3fn),
                                 a.astype(jnp.float8_e5m2), lax.reduce_precision(a, 5, 7)), [x(4)]),
    "narrow_integers": (lambda a: (a.astype(jnp.int4), a.astype(jnp.uint4), a.astype(jnp.int8), a.astype(jnp.uint16)),
                        [x(5, dtype=np.int32)]),
    "bitcast": (lambda a: (lax.bitcast_convert_type(a, np.uint32), lax.bitcast_convert_type(a, np.uint8)), [x(4)]),
    "constants": (lambda a: (a + np.array([True, False, True] * 5), a * np.float32(np.nan), a + x(15),
                             a + np.full(15, 2, f32), a > np.ones(15, bool), jnp.zeros((0, 3)),
                             np.array([1, -2, 3], jnp.int4), np.array([True, False]), np.int64(2**31)), [x(15)]),
    "shapes": (lambda a: (a.T, a[::-1], a.reshape(6), jnp.broadcast_to(a, (4, 2, 3)), jnp.concatenate([a, a], 1),
                          jnp.pad(a, ((1, 2), (0, 1))), a[:, 1:3], a[::2], lax.iota(np.int32, 4),
                          lax.pad(a, f32(0), [(-1, 2, 1), (0, 0, 2)])), [x(2, 3)]),
    "dynamic_slices": (lambda a, i: (lax.dynamic_slice(a, (i, i), (2, 2)), lax.dynamic_update_slice(a, a[:1], (i, i))),
                       [x(4, 3), np.int32(1)]),
    "dot": (lambda a, b: (jnp.einsum("bij,bjk->bik", a, b), jnp.einsum("bij,bjk->ik", a, b, precision="highest")),
            [x(2, 3, 4), x(2, 4, 5)]),
    "dot_algorithm": (lambda a, b: lax.dot(a, b, precision=lax.DotAlgorithmPreset.BF16_BF16_F32_X3), [x(3, 4), x(4, 2)]),
    "dot_integers": (lambda a, b: lax.dot(a, b, preferred_element_type=np.int32), [x(3, 4, dtype=np.int8), x(4, 2, dtype=np.int8)]),
    "reductions": (lambda a: (a.sum(), a.max(1), a.prod(0), jnp.any(a > 3), jnp.argmax(a, 1)), [x(3, 4)]),
    "windows": (lambda a: (lax.reduce_window(a, -jnp.inf, lax.max, (2, 2), (1, 2), "SAME"), jnp.cumsum(a, 0),
                           lax.cummax(a, 1)), [x(4, 4)]),
    "pool_grad": (jax.grad(lambda a: lax.reduce_window(a, -jnp.inf, lax.max, (2, 2), (2, 2), "VALID").sum()), [x(4, 4)]),
    "conv": (conv, [x(1, 4, 5, 6), x(4, 2, 3, 2)]),
    "conv_grad": (jax.grad(lambda a, k: conv(a, k).sum(), (0, 1)), [x(1, 4, 5, 6), x(4, 2, 3, 2)]),
    "gather": (lambda a, i: (a[i], jnp.take_along_axis(a, i[:, None], 1), a.at[i].get(mode="fill", fill_value=7)),
               [x(5, 3), np.array([1, 0, 2, 1, 0], np.int32)]),
    "gather_batch": (jax.vmap(lambda a, i: a[i]), [x(5, 3), np.array([[1], [0], [2], [1], [0]], np.int32)]),
    "scatter": (lambda a, i: (a.at[i].add(1), a.at[i].set(2), a.at[i].max(3, unique_indices=True)),
                [x(5, 3), np.array([1, 0], np.int32)]),
    "scatter_batch": (jax.vmap(lambda a, i: a.at[i].mul(2)), [x(5, 3), np.array([[1], [0], [2], [1], [0]], np.int32)]),
    "sort": (lambda a, b: (lax.sort((a, b), num_keys=1), jnp.argsort(b)), [x(7), x(7, dtype=np.int32)]),
    "top_k": (lambda a: lax.top_k(a, 3), [x(7)]),
    "erf": (lambda a: (lax.erf(a), jnp.square(a), lax.lgamma(a), jnp.arcsinh(a)), [x(3)]),
    "while": (lambda a: lax.while_loop(lambda c: c[1] < 5, lambda c: (c[0] * a, c[1] + 1), (a, 0)), [x(3)]),
    "scan": (scan, [x(4, 3)]),
    "cond": (lambda p, a: lax.cond(p, jnp.sin, jnp.cos, a), [np.bool_(True), x(3)]),
    "switch": (lambda i, a: lax.switch(i, [jnp.sin, jnp.cos, lambda v: v * a[0]], a), [np.int32(1), x(3)]),
    "nested": (lambda a: jax.jit(lambda v: jax.jit(jnp.sin)(v) + 1)(a) * jax.jit(jnp.cos)(a), [x(3)]),
    "remat": (jax.grad(lambda a: jax.checkpoint(lambda v: jnp.sin(jnp.sin(v)))(a).sum()), [x(3)]),
    "random": (lambda k: (jax.random.normal(k, (3,)), jax.random.randint(k, (2,), 0, 9)), [np.array([0, 1], np.uint32)]),
    "rng_bit_generator": (lambda k: lax.rng_bit_generator(k, (4,), np.uint32), [np.array([0, 1, 2, 3], np.uint32)]),
    "fft": (lambda a: (jnp.fft.rfft(a), jnp.fft.fft2(a), jnp.fft.irfft(jnp.fft.rfft(a))), [x(4, 6)]),
    "cholesky": (lambda a: jnp.linalg.cholesky(a @ a.T + np.eye(3, dtype=f32)), [x(3, 3)]),
    "solve": (lambda a, b: jnp.linalg.solve(a + 9 * np.eye(3, dtype=f32), b), [x(3, 3), x(3)]),
    "train_step": (jax.value_and_grad(loss, (0, 1)), [x(3, 2), x(2), x(4, 3)]),
    "layer_norm": (lambda a: (a - a.mean(-1, keepdims=True)) * lax.rsqrt(a.var(-1, keepdims=True) + 1e-5), [x(2, 8)]),
    "softmax": (jax.nn.softmax, [x(2, 5)]),
    "sharded": (sharded, [x(4)]),
    "key": (lambda k: jax.random.normal(jax.random.wrap_key_data(k), (3,)), [np.array([0, 1], np.uint32)]),
    "symbolic": (lambda a: (a + 1, a.sum(0), jnp.concatenate([a, a])), ["b, 3"]),
}


def placed(*axes):
    """A sharding over a mesh of 2x2 devices."""
    return NamedSharding(Mesh(np.array(jax.devices()).reshape(2, 2), ("x", "y")), PartitionSpec(*axes))


def mapped(function, args, in_specs, out_specs, **options):
    mesh = placed().mesh
    return jax.jit(jax.shard_map(function, mesh=mesh, in_specs=in_specs, out_specs=out_specs, **options)).lower(*args)


def mesh_jit():
    """Shardings of arguments and results, one of which takes the memory of an argument."""
    return jax.jit(lambda a, b, c: (a @ b + c, b), in_shardings=(placed("x", None), placed(None, "y"), placed("x", "y")),
                   out_shardings=(placed("x", "y"), None), donate_argnums=2).lower(x(8, 16), x(16, 32), x(8, 32))


def mesh_constraints():
    def function(a):
        a = lax.with_sharding_constraint(a * 2, placed(PartitionSpec.UNCONSTRAINED, "y"))
        return lax.with_sharding_constraint(a + 1, placed(("y", "x"), None))

    return jax.jit(function).lower(x(8, 32))


def mesh_collectives():
    def function(a):
        number = lax.axis_index("x").astype(a.dtype)
        return (lax.psum(a, "y") + number, lax.all_gather(a, "x", tiled=True), lax.ppermute(a, "x", [(0, 1), (1, 0)]),
                lax.all_to_all(a, "y", 0, 1, tiled=True),
                lax.psum_scatter(a, ("x", "y"), scatter_dimension=0, tiled=True),
                lax.psum(a, "x", axis_index_groups=[[0], [1]]), lax.pmax(a, ("x", "y")))

    spec = PartitionSpec("x", "y")
    return mapped(function, [x(8, 16)], spec,
                  (PartitionSpec("x"), PartitionSpec(None, "y"), spec, spec, PartitionSpec(("x", "y")), spec, PartitionSpec()),
                  check_vma=False)


def mesh_partly_manual():
    """Inside of the manual computation the compiler still divides along one axis."""
    return mapped(lambda a: lax.psum(jnp.sin(a), "x"), [jax.ShapeDtypeStruct((8, 16), f32, sharding=placed("x", "y"))],
                  PartitionSpec("x"), PartitionSpec(), axis_names={"x"})


def mesh_loop():
    """A ring: each turn of a loop sends a part to the next device."""
    def function(a):
        turn = lambda i, carry: (lax.ppermute(carry[0], "x", [(0, 1), (1, 0)]), carry[1] + carry[0])
        return lax.fori_loop(0, 2, turn, (a, jnp.zeros_like(a)))[1]

    return mapped(function, [x(8, 16)], PartitionSpec("x"), PartitionSpec("x"))


def mesh_pmap():
    return jax.pmap(lambda a: lax.psum(a, "i"), axis_name="i").lower(x(4, 3))


def mesh_explicit():
    """Every value has a sharding in its type; one is a sum that the devices have not added up."""
    def function(a, b):
        c = jnp.einsum("ij,jk->ik", a, b, out_sharding=PartitionSpec(None, None, unreduced={"y"}))
        return jax.sharding.reshard(c, PartitionSpec("x", "y")) * 2

    mesh = jax.make_mesh((2, 2), ("x", "y"), axis_types=(AxisType.Explicit,) * 2)
    with jax.set_mesh(mesh):
        a, b = [jax.ShapeDtypeStruct(shape, f32, sharding=NamedSharding(mesh, PartitionSpec(*axes)))
                for shape, axes in (((8, 16), (None, "y")), ((16, 4), ("y", None)))]
        return jax.jit(function).lower(a, b)


# Programs for several devices, as JAX lowers them for its compiler.
MESHES = {function.__name__: function for function in (
    mesh_jit, mesh_constraints, mesh_collectives, mesh_partly_manual, mesh_loop, mesh_pmap, mesh_explicit)}

# Written out with StableHLO's own words: what JAX does not lower.
TEXTS = {
    "quantized": """
module @quantized {
  func.func public @main(%x: tensor<2x3xf32>, %w: tensor<3x2x!quant.uniform<i8<-127:127>:f32:1, {2.500000e-01,1.250000e-01}>>) -> (tensor<2x2x!quant.uniform<u8:f32, 5.000000e-01:128>>, tensor<2x3xf32>) {
    %0 = stablehlo.uniform_quantize %x : (tensor<2x3xf32>) -> tensor<2x3x!quant.uniform<i8:f32, 1.000000e-01:-30>>
    %1 = stablehlo.dot_general %0, %w, contracting_dims = [1] x [0] : (tensor<2x3x!quant.uniform<i8:f32, 1.000000e-01:-30>>, tensor<3x2x!quant.uniform<i8<-127:127>:f32:1, {2.500000e-01,1.250000e-01}>>) -> tensor<2x2x!quant.uniform<i32:f32:1, {2.500000e-02,1.250000e-02}>>
    %2 = stablehlo.uniform_quantize %1 : (tensor<2x2x!quant.uniform<i32:f32:1, {2.500000e-02,1.250000e-02}>>) -> tensor<2x2x!quant.uniform<u8:f32, 5.000000e-01:128>>
    %3 = stablehlo.uniform_dequantize %0 : (tensor<2x3x!quant.uniform<i8:f32, 1.000000e-01:-30>>) -> tensor<2x3xf32>
    return %2, %3 : tensor<2x2x!quant.uniform<u8:f32, 5.000000e-01:128>>, tensor<2x3xf32>
  }
}
""",
    "edge_constants": """
module @edge_constants {
  func.func public @main() -> (tensor<3xi1>, tensor<9xi1>, tensor<9xi1>, tensor<2xi1>, tensor<1xi1>, tensor<i1>, tensor<0xi1>,
                               tensor<4xi4>, tensor<3xui4>, tensor<2xi64>, tensor<3xf64>, tensor<2xcomplex<f64>>,
                               tensor<2xbf16>, tensor<0x2xf32>, tensor<1000xi1>) {
    %0 = stablehlo.constant dense<[true, false, true]> : tensor<3xi1>
    %1 = stablehlo.constant dense<true> : tensor<9xi1>
    %2 = stablehlo.constant dense<[true, false, true, true, true, false, true, false, true]> : tensor<9xi1>
    %3 = stablehlo.constant dense<true> : tensor<2xi1>
    %4 = stablehlo.constant dense<true> : tensor<1xi1>
    %5 = stablehlo.constant dense<false> : tensor<i1>
    %6 = stablehlo.constant dense<> : tensor<0xi1>
    %7 = stablehlo.constant dense<[-8, 7, 0, -1]> : tensor<4xi4>
    %8 = stablehlo.constant dense<[15, 0, 8]> : tensor<3xui4>
    %9 = stablehlo.constant dense<[-9223372036854775808, 9223372036854775807]> : tensor<2xi64>
    %10 = stablehlo.constant dense<[0x7FF8000000000001, -0.0, 0xFFF0000000000000]> : tensor<3xf64>
    %11 = stablehlo.constant dense<[(1.0, -2.0), (0.0, 3.0)]> : tensor<2xcomplex<f64>>
    %12 = stablehlo.constant dense<[0x7FC0, 1.5]> : tensor<2xbf16>
    %13 = stablehlo.constant dense<> : tensor<0x2xf32>
    %14 = stablehlo.constant dense<false> : tensor<1000xi1>
    return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14 : tensor<3xi1>, tensor<9xi1>, tensor<9xi1>,
        tensor<2xi1>, tensor<1xi1>, tensor<i1>, tensor<0xi1>, tensor<4xi4>, tensor<3xui4>, tensor<2xi64>, tensor<3xf64>,
        tensor<2xcomplex<f64>>, tensor<2xbf16>, tensor<0x2xf32>, tensor<1000xi1>
  }
}
""",
    "calls": """
module @calls {
  func.func public @main(%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
    %0 = stablehlo.composite "x.y" %a {composite_attributes = {n = 1 : i64, s = "t", f = 1.5 : f32, v = dense<[1, 2]> : tensor<2xi64>},
        decomposition = @impl, version = 3 : i32} : (tensor<4xf32>) -> tensor<4xf32>
    %1 = stablehlo.custom_call @foo(%a) {mhlo.backend_config = {uplo = 76 : ui8, flag = true}} : (tensor<4xf32>) -> tensor<4xf32>
    %2 = stablehlo.custom_call @bar(%a) {api_version = 2 : i32, backend_config = "opaque", has_side_effect = true,
        operand_layouts = [dense<0> : tensor<1xindex>], result_layouts = [dense<0> : tensor<1xindex>],
        called_computations = [@impl]} : (tensor<4xf32>) -> tensor<4xf32>
    %3 = func.call @impl(%a) : (tensor<4xf32>) -> tensor<4xf32>
    return %0, %1, %2, %3 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
  func.func private @impl(%a: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.exponential %a {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
""",
    "ffi_call": """
module @ffi_call {
  func.func public @main(%a: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.custom_call @foo(%a) {api_version = 4 : i32, backend_config = {n = 1 : i64, m = [1, 2], f = 2.5 : f64}} : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
""",
    "host_callback": """
module @host_callback {
  func.func public @main(%a: tensor<4xf32>) -> tensor<4xf32> {
    %t = stablehlo.create_token : !stablehlo.token
    %0:2 = stablehlo.custom_call @acceld.host_callback(%t, %a) {api_version = 4 : i32, backend_config = {callback = 0 : i64}, has_side_effect = true} : (!stablehlo.token, tensor<4xf32>) -> (!stablehlo.token, tensor<4xf32>)
    %1 = stablehlo.custom_call @acceld.host_callback(%0#1) {backend_config = "callback=1"} : (tensor<4xf32>) -> tensor<4xf32>
    %2 = stablehlo.custom_call @acceld.host_callback(%0#0, %1) {api_version = 4 : i32, backend_config = {callback = 0 : i64}, has_side_effect = true} : (!stablehlo.token, tensor<4xf32>) -> !stablehlo.token
    return %1 : tensor<4xf32>
  }
}
""",
    "dot_tf32": """
module @dot_tf32 {
  func.func public @main(%a: tensor<3x4xf32>, %b: tensor<4x2xf32>) -> tensor<3x2xf32> {
    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = tf32,
        rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1,
        num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<3x4xf32>, tensor<4x2xf32>) -> tensor<3x2xf32>
    return %0 : tensor<3x2xf32>
  }
}
""",
    "tuples": """
module @tuples {
  func.func public @main(%a: tensor<2xf32>, %b: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.tuple %a, %b : tuple<tensor<2xf32>, tensor<i32>>
    %1 = stablehlo.get_tuple_element %0[1] : (tuple<tensor<2xf32>, tensor<i32>>) -> tensor<i32>
    return %1 : tensor<i32>
  }
}
""",
    "branches": """
module @branches {
  func.func public @main(%p: tensor<i1>, %a: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
    %0:2 = "stablehlo.if"(%p) ({
      %1 = stablehlo.add %a, %a : tensor<f32>
      stablehlo.return %1, %a : tensor<f32>, tensor<f32>
    }, {
      %c = stablehlo.constant dense<2.0> : tensor<f32>
      stablehlo.return %c, %c : tensor<f32>, tensor<f32>
    }) : (tensor<i1>) -> (tensor<f32>, tensor<f32>)
    return %0#0, %0#1 : tensor<f32>, tensor<f32>
  }
}
""",
    "collectives": """
module @collectives attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%a: tensor<2x4xf32>, %b: tensor<3xi32>, %root: tensor<1xi32>)
      -> (tensor<2x4xf32>, tensor<3xi32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>,
          tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>) {
    %0:2 = "stablehlo.all_gather"(%a, %b) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>,
        replica_groups = dense<0> : tensor<1x1xi64>, use_global_device_ids}> : (tensor<2x4xf32>, tensor<3xi32>) -> (tensor<2x4xf32>, tensor<3xi32>)
    %1 = "stablehlo.all_reduce"(%0#0) <{replica_groups = #stablehlo.replica_group_mesh_axes<
        mesh = #stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "x", size = 1>]>, axes = [#stablehlo.axis_ref<name = "x">]>}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %z = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %z : tensor<f32>
    }) : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %2 = "stablehlo.reduce_scatter"(%1) <{replica_groups = dense<0> : tensor<1x1xi64>, scatter_dimension = 1 : i64}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %z = stablehlo.maximum %x, %y : tensor<f32>
      stablehlo.return %z : tensor<f32>
    }) : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %3 = "stablehlo.all_to_all"(%2) <{concat_dimension = 1 : i64, replica_groups = dense<0> : tensor<1x1xi64>, split_count = 1 : i64,
        split_dimension = 0 : i64}> : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %4 = "stablehlo.collective_permute"(%3) <{source_target_pairs = dense<0> : tensor<1x2xi64>}> : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %5 = "stablehlo.collective_permute"(%3) <{source_target_pairs = dense<> : tensor<0x2xi64>}> : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %6 = "stablehlo.collective_broadcast"(%4) <{replica_groups = dense<0> : tensor<1x1xi64>}> : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %7 = "stablehlo.collective_broadcast"(%6, %root) <{has_dynamic_root, replica_groups = dense<0> : tensor<1x1xi64>}>
        : (tensor<2x4xf32>, tensor<1xi32>) -> tensor<2x4xf32>
    %8 = "stablehlo.collective_reduce"(%7) <{replica_groups = dense<0> : tensor<1x1xi64>}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %z = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %z : tensor<f32>
    }) : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %9 = "stablehlo.cross-replica-sum"(%8) <{replica_groups = dense<0> : tensor<1x1xi64>}> : (tensor<2x4xf32>) -> tensor<2x4xf32>
    return %0#0, %0#1, %1, %2, %3, %4, %5, %7, %8, %9 : tensor<2x4xf32>, tensor<3xi32>, tensor<2x4xf32>, tensor<2x4xf32>,
        tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>
  }
}
""",
    "shardings": """
module @shardings attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=4]>
  sdy.mesh @permuted = <["x"=2, "y"=4], device_ids=[7, 6, 5, 4, 3, 2, 1, 0]>
  sdy.mesh @single = <[], device_ids=[3]>
  func.func public @main(%a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y":(1)2}p0, {"y":(2)2, ?}p3]>, jax.buffer_donor = true},
                         %b: tensor<8x16xf32>)
      -> (tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}], replicated={"x"}>}, tensor<8x16xf32>, tensor<8x16xf32>) {
    %0 = stablehlo.add %a, %b {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {?}]>]>} : tensor<8x16xf32>
    %1 = sdy.sharding_constraint %0 <@permuted, [{}, {}], unreduced={"y"}> : tensor<8x16xf32>
    %2 = sdy.reshard %1 <mesh<["z"=8]>, [{"z":(2)4}, {}]> : tensor<8x16xf32>
    sdy.sharding_group %2 group_id=5 : tensor<8x16xf32>
    %3 = sdy.named_computation<"foo">(%b, %2) in_shardings=[<@mesh, [{"x"}, {?}]>, <@mesh, [{?}, {?}]>] (%u: tensor<8x16xf32>, %v: tensor<8x16xf32>) {
      %s = stablehlo.multiply %u, %v : tensor<8x16xf32>
      sdy.return %s : tensor<8x16xf32>
    } : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
    %4 = sdy.propagation_barrier %3 allowed_direction=FORWARD : tensor<8x16xf32>
    %5 = stablehlo.custom_call @foo(%4) {has_side_effect = true, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=8, j=16}, custom>}
        : (tensor<8x16xf32>) -> tensor<8x16xf32>
    return %0, %4, %5 : tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>
  }
}
""",
    "group_axes": """
module @group_axes attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%a: tensor<8x16xf32>) -> tensor<8x16xf32> {
    %0 = "stablehlo.all_reduce"(%a) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids,
        replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "z", size = 8>],
            device_ids = dense<[7, 6, 5, 4, 3, 2, 1, 0]> : tensor<8xi64>>, axes = [#stablehlo.axis_ref<name = "z", sub_axis_info = (2)4>]>}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %z = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %z : tensor<f32>
    }) : (tensor<8x16xf32>) -> tensor<8x16xf32>
    return %0 : tensor<8x16xf32>
  }
}
""",
    "reshards": """
module @reshards attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func public @main(%a: tensor<8x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}) -> (tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>) {
    %0 = sdy.all_slice [{"x"}, {"y"}] %a out_sharding=<@mesh, [{"x"}, {"y"}]> : tensor<8x16xf32>
    %1 = sdy.all_to_all [{"x"}: 0->1] %0 out_sharding=<@mesh, [{}, {"y", "x"}]> : tensor<8x16xf32>
    %2 = sdy.collective_permute %1 out_sharding=<@mesh, [{}, {"x", "y"}]> : tensor<8x16xf32>
    %3 = sdy.all_gather [{}, {"x", "y"}] %2 out_sharding=<@mesh, [{}, {}]> : tensor<8x16xf32>
    %4 = sdy.replicated_to_unreduced {"x"} %3 out_sharding=<@mesh, [{}, {}], unreduced={"x"}> : tensor<8x16xf32>
    %5 = sdy.all_reduce {"x"} %4 out_sharding=<@mesh, [{}, {}]> : tensor<8x16xf32>
    %6 = sdy.reduce_scatter [{"y"}, {}] %5 out_sharding=<@mesh, [{"y"}, {}]> : tensor<8x16xf32>
    %7 = sdy.sharded_to_unreduced [{"y"}, {}] %6 out_sharding=<@mesh, [{}, {}], unreduced={"y"}> : tensor<8x16xf32>
    %8 = stablehlo.tanh %a : tensor<8x16xf32>
    %9 = sdy.data_flow_edge %8 sharding=<@mesh, [{"x"}, {?}]> : tensor<8x16xf32>
    %10 = sdy.constant dense<1.0> : tensor<8x16xf32>
    return %7, %9, %10 : tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>
  }
}
""",
    "unreduced_maximum": """
module @unreduced_maximum attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func public @main(%a: tensor<8x4xf32>) -> (tensor<8x4xf32>) {
    %0 = sdy.sharding_constraint %a <@mesh, [{}, {}], unreduced=max{"y"}> : tensor<8x4xf32>
    %1 = sdy.all_reduce max {"y"} %0 out_sharding=<@mesh, [{}, {}]> : tensor<8x4xf32>
    return %1 : tensor<8x4xf32>
  }
}
""",
    "futures": """
module @futures {
  func.func public @main(%a: tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<2x6xf32>) {
    %0 = "stablehlo.async_start"(%a) ({
    ^bb0(%x: tensor<4x6xf32>):
      %1 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<0> : tensor<1x1xi64>}>
          : (tensor<4x6xf32>) -> tensor<4x6xf32>
      stablehlo.return %1 : tensor<4x6xf32>
    }) : (tensor<4x6xf32>) -> !stablehlo.future<tensor<4x6xf32>>
    %2 = "stablehlo.async_start"(%a) ({
    ^bb0(%y: tensor<4x6xf32>):
      %3 = stablehlo.slice %y [1:3, 0:6] : (tensor<4x6xf32>) -> tensor<2x6xf32>
      stablehlo.return %3 : tensor<2x6xf32>
    }) : (tensor<4x6xf32>) -> !stablehlo.future<tensor<2x6xf32>>
    %4 = "stablehlo.async_done"(%0) : (!stablehlo.future<tensor<4x6xf32>>) -> tensor<4x6xf32>
    %5 = "stablehlo.async_done"(%2) : (!stablehlo.future<tensor<2x6xf32>>) -> tensor<2x6xf32>
    return %4, %5 : tensor<4x6xf32>, tensor<2x6xf32>
  }
}
""",
    "manual": """
module @manual attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["a"=1, "b"=1]>
  func.func public @main(%a: tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>) {
    %0:2 = sdy.manual_computation(%a, %a) in_shardings=[<@mesh, [{"a"}, {}]>, <@mesh, [{}, {}]>] out_shardings=[<@mesh, [{"a"}, {}]>,
        <@mesh, [{"b"}, {}]>] manual_axes={"a", "b"} (%x: tensor<4x6xf32>, %y: tensor<4x6xf32>) {
      %1 = "stablehlo.all_reduce"(%x) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>,
          replica_groups = dense<0> : tensor<1x1xi64>, use_global_device_ids}> ({
      ^bb0(%u: tensor<f32>, %v: tensor<f32>):
        %2 = stablehlo.add %u, %v : tensor<f32>
        stablehlo.return %2 : tensor<f32>
      }) : (tensor<4x6xf32>) -> tensor<4x6xf32>
      %3 = stablehlo.add %y, %1 : tensor<4x6xf32>
      sdy.sharding_group %3 group_id=1 : tensor<4x6xf32>
      sdy.return %1, %3 : tensor<4x6xf32>, tensor<4x6xf32>
    } : (tensor<4x6xf32>, tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>)
    return %0#0, %0#1 : tensor<4x6xf32>, tensor<4x6xf32>
  }
}
""",
    "manual_tokens": """
module @manual_tokens attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func public @main(%a: tensor<4x6xf32>) -> tensor<4x6xf32> {
    %0 = stablehlo.create_token : !stablehlo.token
    %1:2 = sdy.manual_computation(%0, %a) in_shardings=[<@mesh, []>, <@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, []>, <@mesh, [{"x"}, {}]>]
        manual_axes={"x", "y"} (%t: !stablehlo.token, %x: tensor<2x6xf32>) {
      %2 = stablehlo.after_all %t, %t : !stablehlo.token
      %3 = stablehlo.negate %x : tensor<2x6xf32>
      sdy.return %2, %3 : !stablehlo.token, tensor<2x6xf32>
    } : (!stablehlo.token, tensor<4x6xf32>) -> (!stablehlo.token, tensor<4x6xf32>)
    return %1#1 : tensor<4x6xf32>
  }
}
""",
}

COMMITTED = {"calls": None, "collectives": None, "conv": None, "dot_algorithm": None, "edge_constants": None, "futures": None,
             "gather_batch": None, "group_axes": None, "host_callback": None, "manual": None, "manual_tokens": None, **dict.fromkeys(MESHES),
             "pool_grad": None, "quantized": None, "reductions": "0.11.0", "reshards": None, "scan": None, "sharded": None, "shardings": None,
             "sort": "0.14.0", "switch": None, "train_step": None, "while": "0.9.0"}
OLDER = ["mesh_collectives", "mesh_partly_manual", "reshards"]
CORPUS = {"add": ["0.9.0", "0.11.0", "0.13.0", "0.14.0", None], "calls": ["1.17.0", "1.20.0"], "collectives": ["1.20.0"], "futures": ["1.20.0"],
          "manual": ["1.20.0"], "mesh_explicit": ["1.22.0"], "mesh_loop": ["1.22.0"], "mesh_partly_manual": ["1.13.0"], "reshards": ["1.22.0"],
          "shardings": ["1.22.0"], "unreduced_maximum": ["1.22.0"], "branches": ["0.9.0", "1.13.0"], "scan": ["0.11.0", "1.17.0"], "sharded": [None],
          "scatter_batch": ["1.17.0"], "dot_algorithm": ["1.17.0"], "edge_constants": ["1.17.0"], "quantized": [None], "sort": ["0.14.0"]}


def exported(name):
    """The artifact as JAX writes it, or as text that JAX has no part in."""
    if name in TEXTS:
        return TEXTS[name]
    if name in MESHES:
        return MESHES[name]().as_text()
    function, args = FUNCTIONS[name]
    args = [jax.ShapeDtypeStruct(export.symbolic_shape(a), f32) if isinstance(a, str) else a for a in args]
    return export.export(jax.jit(function), platforms=["cpu"])(*args).mlir_module_serialized


def text_of(artifact):
    context = ir.Context()
    stablehlo.register_dialect(context)
    sdy.register_dialect(context)
    with context:
        module = stablehlo.deserialize_portable_artifact(context, artifact)
        return module.operation.get_asm(enable_debug_info=False)


def artifact_at(source, version):
    """Without a version: as JAX wrote it."""
    if version is None:
        if isinstance(source, bytes):
            return source
        version = stablehlo.get_current_version()
    text = source if isinstance(source, str) else text_of(source)
    if "sdy." not in text:
        return stablehlo.serialize_portable_artifact_str(text, version)
    context = make_ir_context()
    with context:
        module = io.BytesIO()
        ir.Module.parse(text).operation.write_bytecode(module)
    return _jax.mlir.serialize_portable_artifact(module.getvalue(), version, True)


def main():
    jax.config.update("jax_enable_x64", True)
    # Artifacts name source files: without their folders, so that they are the same everywhere.
    jax.config.update("jax_hlo_source_file_canonicalization_regex", ".*/")
    everything = list(FUNCTIONS) + list(MESHES) + list(TEXTS)
    if len(sys.argv) > 1:
        folder = pathlib.Path(sys.argv[1])
        folder.mkdir(parents=True, exist_ok=True)
        written = 0
        for name in everything:
            try:
                source = exported(name)
            except Exception as error:  # a function that this JAX does not have
                print(f"{name}: {error}", file=sys.stderr)
                continue
            for version in VERSIONS:
                try:
                    artifact = artifact_at(source, version)
                    text = text_of(artifact)
                except Exception:  # it uses what this version cannot hold
                    continue
                stem = name if version is None else f"{name}.{version}"
                (folder / f"{stem}.mlir.bc").write_bytes(artifact)
                (folder / f"{stem}.mlir").write_text(text)
                written += 1
        print(f"{written} artifacts of {len(everything)} programs")
        return
    is_older = jax.__version_info__ < (0, 11)
    chosen = dict.fromkeys(OLDER) if is_older else COMMITTED
    for name, version in chosen.items():
        artifact = artifact_at(exported(name), version)
        stem = f"{name}.older" if is_older else name
        (HERE / f"{stem}.mlir.bc").write_bytes(artifact)
        (HERE / f"{stem}.mlir").write_text(text_of(artifact))
    if is_older:
        return
    CORPUS_FOLDER.mkdir(parents=True, exist_ok=True)
    for name, versions in CORPUS.items():
        for version in versions:
            (CORPUS_FOLDER / f"{name}.{version or 'jax'}.mlir.bc").write_bytes(artifact_at(exported(name), version))


if __name__ == "__main__":
    main()
