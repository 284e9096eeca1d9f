"""Programs as text: one that works, and those that hurt."""

import os
import struct

import protocol

# Where programs run, as tests of ours are told: the number of a GPU, or "none" for the CPU.
_KIND, _, _NUMBER = os.environ.get("ACCELD_DEVICE", "cpu").partition(":")
GPU = (_NUMBER or "0") if _KIND == "cuda" else "none"

DOUBLE = """
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %y = stablehlo.add %x, %x : tensor<2xf32>
  return %y : tensor<2xf32>
}
"""


def literal(dtype, dims, data):
    value = protocol.program_pb2.Literal(data=data)
    value.type.dtype = dtype
    value.type.dims.extend(dims)
    return value


def floats(*values):
    return literal("f32", [len(values)], struct.pack(f"<{len(values)}f", *values))


def zeros(elements):
    return literal("f32", [elements], bytes(4 * elements))


def values_of(data):
    return list(struct.unpack(f"<{len(data) // 4}f", data))


def main(argument, body, result):
    return f"func.func @main(%x: {argument}) -> {result} {{\n{body}\n}}\n"


def selu(elements):
    """Elementwise work, as others do it."""
    kind = f"tensor<{elements}xf32>"
    return main(kind, f"""
  %zero = stablehlo.constant dense<0.0> : {kind}
  %scale = stablehlo.constant dense<1.05> : {kind}
  %alpha = stablehlo.constant dense<1.67> : {kind}
  %positive = stablehlo.compare GT, %x, %zero : ({kind}, {kind}) -> tensor<{elements}xi1>
  %e = stablehlo.exponential_minus_one %x : {kind}
  %s = stablehlo.multiply %alpha, %e : {kind}
  %c = stablehlo.select %positive, %x, %s : tensor<{elements}xi1>, {kind}
  %r = stablehlo.multiply %scale, %c : {kind}
  return %r : {kind}""", kind)


def number(index):
    """A small program that is like no other of these."""
    return main("tensor<64xf32>", f"""
  %c = stablehlo.constant dense<{index}.5> : tensor<64xf32>
  %0 = stablehlo.multiply %x, %c : tensor<64xf32>
  %1 = stablehlo.tanh %0 : tensor<64xf32>
  %2 = stablehlo.add %1, %c : tensor<64xf32>
  return %2 : tensor<64xf32>""", "tensor<64xf32>")


def wide_sort(operands, seed):
    """Of few numbers, and compiled for a time that grows as the square of its operands."""
    kind = "tensor<8xf32>"
    values = "\n".join(f"  %v{i} = stablehlo.add %{f'v{i - 1}' if i else 'x'}, %x : {kind}" for i in range(operands))
    names = ", ".join(f"%v{i}" for i in range(operands))
    kinds = ", ".join([kind] * operands)
    elements = ", ".join(f"%a{i}: tensor<f32>, %b{i}: tensor<f32>" for i in range(operands))
    return main(kind, f"""
{values}
  %c = stablehlo.constant dense<{seed}.0> : {kind}
  %r:{operands} = "stablehlo.sort"({names}) ({{
   ^bb0({elements}):
    %p = stablehlo.compare LT, %a0, %b0 : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }}) {{dimension = 0 : i64}} : ({kinds}) -> ({kinds})
  %q = stablehlo.add %r#0, %c : {kind}
  %s = stablehlo.add %q, %r#{operands - 1} : {kind}
  return %s : {kind}""", kind)


def concatenation(parts):
    """Of one value, again and again: a loop for each part."""
    kind, whole = "tensor<8xf32>", f"tensor<{8 * parts}xf32>"
    return main(kind, f"""
  %c = stablehlo.concatenate {", ".join(["%x"] * parts)}, dim = 0 : ({", ".join([kind] * parts)}) -> {whole}
  return %c : {whole}""", whole)


def large_constant(size_bytes, seed):
    """Of a constant of that size, which is like no other of these, one element is used."""
    elements = size_bytes // 4
    data = struct.pack("<f", seed + 0.5) + bytes(size_bytes - 4)
    return main("tensor<1xf32>", f"""
  %c = stablehlo.constant dense<"0x{data.hex()}"> : tensor<{elements}xf32>
  %s = stablehlo.slice %c [0:1] : (tensor<{elements}xf32>) -> tensor<1xf32>
  %r = stablehlo.add %x, %s : tensor<1xf32>
  return %r : tensor<1xf32>""", "tensor<1xf32>")


def endless_while():
    return main("tensor<8xf32>", """
  %r = "stablehlo.while"(%x) ({
   ^bb0(%a: tensor<8xf32>):
    %t = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %t : tensor<i1>
  }, {
   ^bb0(%a: tensor<8xf32>):
    %c = stablehlo.add %a, %a : tensor<8xf32>
    stablehlo.return %c : tensor<8xf32>
  }) : (tensor<8xf32>) -> tensor<8xf32>
  return %r : tensor<8xf32>""", "tensor<8xf32>")


def filled(elements):
    """An array of the first element."""
    return main("tensor<1xf32>", f"""
  %f = stablehlo.reshape %x : (tensor<1xf32>) -> tensor<f32>
  %r = stablehlo.broadcast_in_dim %f, dims = [] : (tensor<f32>) -> tensor<{elements}xf32>
  return %r : tensor<{elements}xf32>""", f"tensor<{elements}xf32>")


def endless_on(elements):
    """An endless loop whose value is an array of so many elements."""
    return main("tensor<1xf32>", f"""
  %f = stablehlo.reshape %x : (tensor<1xf32>) -> tensor<f32>
  %b = stablehlo.broadcast_in_dim %f, dims = [] : (tensor<f32>) -> tensor<{elements}xf32>
  %w = "stablehlo.while"(%b) ({{
   ^bb0(%a: tensor<{elements}xf32>):
    %t = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %t : tensor<i1>
  }}, {{
   ^bb0(%a: tensor<{elements}xf32>):
    %s = stablehlo.add %a, %a : tensor<{elements}xf32>
    stablehlo.return %s : tensor<{elements}xf32>
  }}) : (tensor<{elements}xf32>) -> tensor<{elements}xf32>
  return %w : tensor<{elements}xf32>""", f"tensor<{elements}xf32>")


def long_window(size=1 << 46):
    return main("tensor<8xf32>", f"""
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %z) ({{
   ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }}) {{window_dimensions = array<i64: {size}>, window_strides = array<i64: 1>, base_dilations = array<i64: 1>,
      window_dilations = array<i64: 1>, padding = dense<[[{size - 1}, 0]]> : tensor<1x2xi64>}}
      : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>""", "tensor<8xf32>")


def long_sum(rows=4, columns=1 << 40):
    """Sums of numbers that are computed from their indices and stored nowhere."""
    kind = f"tensor<{rows}x{columns}xf32>"
    return main("tensor<8xf32>", f"""
  %s = stablehlo.slice %x [0:1] : (tensor<8xf32>) -> tensor<1xf32>
  %f = stablehlo.reshape %s : (tensor<1xf32>) -> tensor<f32>
  %i = stablehlo.iota dim = 1 : {kind}
  %b = stablehlo.broadcast_in_dim %f, dims = [] : (tensor<f32>) -> {kind}
  %a = stablehlo.add %i, %b : {kind}
  %c = stablehlo.sine %a : {kind}
  %r = stablehlo.reduce(%c init: %f) applies stablehlo.add across dimensions = [1]
    : ({kind}, tensor<f32>) -> tensor<{rows}xf32>
  return %r : tensor<{rows}xf32>""", f"tensor<{rows}xf32>")


def call_tree(depth):
    """Functions of which each calls the one before twice: 2^depth additions."""
    text = """
func.func private @f0(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = stablehlo.add %x, %x : tensor<8xf32>
  return %0 : tensor<8xf32>
}
"""
    for level in range(1, depth + 1):
        text += f"""
func.func private @f{level}(%x: tensor<8xf32>) -> tensor<8xf32> {{
  %0 = call @f{level - 1}(%x) : (tensor<8xf32>) -> tensor<8xf32>
  %1 = call @f{level - 1}(%0) : (tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}}
"""
    return text + main("tensor<8xf32>", f"""
  %0 = call @f{depth}(%x) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>""", "tensor<8xf32>")


def large_product(side=5000):
    """One call of a library that takes seconds."""
    kind = f"tensor<{side}x{side}xf32>"
    return main("tensor<8xf32>", f"""
  %s = stablehlo.slice %x [0:1] : (tensor<8xf32>) -> tensor<1xf32>
  %f = stablehlo.reshape %s : (tensor<1xf32>) -> tensor<f32>
  %i = stablehlo.iota dim = 1 : {kind}
  %b = stablehlo.broadcast_in_dim %f, dims = [] : (tensor<f32>) -> {kind}
  %a = stablehlo.add %i, %b : {kind}
  %p = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0] : ({kind}, {kind}) -> {kind}
  %q = stablehlo.dot_general %p, %a, contracting_dims = [1] x [0] : ({kind}, {kind}) -> {kind}
  %r = stablehlo.slice %q [0:1, 0:8] : ({kind}) -> tensor<1x8xf32>
  %t = stablehlo.reshape %r : (tensor<1x8xf32>) -> tensor<8xf32>
  return %t : tensor<8xf32>""", "tensor<8xf32>")


def loop_of_large_products(side=1500):
    """Each iteration is in a library for tens of milliseconds, and there is no last one."""
    kind = f"tensor<{side}x{side}xf32>"
    return main("tensor<8xf32>", f"""
  %s = stablehlo.slice %x [0:1] : (tensor<8xf32>) -> tensor<1xf32>
  %f = stablehlo.reshape %s : (tensor<1xf32>) -> tensor<f32>
  %b = stablehlo.broadcast_in_dim %f, dims = [] : (tensor<f32>) -> {kind}
  %w = "stablehlo.while"(%b) ({{
   ^bb0(%a: {kind}):
    %t = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %t : tensor<i1>
  }}, {{
   ^bb0(%a: {kind}):
    %p = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0] : ({kind}, {kind}) -> {kind}
    stablehlo.return %p : {kind}
  }}) : ({kind}) -> {kind}
  %r = stablehlo.slice %w [0:1, 0:8] : ({kind}) -> tensor<1x8xf32>
  %v = stablehlo.reshape %r : (tensor<1x8xf32>) -> tensor<8xf32>
  return %v : tensor<8xf32>""", "tensor<8xf32>")


# Programs that take forever, or nearly so, on eight floats.
ENDLESS = {
    "endless_while": endless_while(),
    "window of 2^46": long_window(),
    "sum of 4 x 2^40": long_sum(),
    "call tree of 2^60": call_tree(60),
    "loop of products": loop_of_large_products(),
}
if GPU != "none":
    del ENDLESS["call tree of 2^60"]  # It is refused there: kernels of GPUs have no calls.
