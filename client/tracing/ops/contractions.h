#pragma once

#include "absl/strings/string_view.h"
#include "client/tracing/tensor.h"

// Products of matrices and their kin. f32 products are computed in f32.
namespace acceld::client {

// As numpy.matmul: multiplies the matrices of the last two dimensions and broadcasts the dimensions
// before them; an operand of rank 1 is a row on the left and a column on the right.
Tensor MatMul(const Operand& a, const Operand& b);
// stablehlo.dot_general: the result has the batching dimensions, then the remaining dimensions of
// `a`, then those of `b`.
struct DotDimensions {
  Axes lhs_contracting, rhs_contracting;
  Axes lhs_batching, rhs_batching;
};
Tensor DotGeneral(const Operand& a, const Operand& b, const DotDimensions& dimensions);
// numpy.dot: sums over the last axis of `a` and the last but one of `b`; a scalar multiplies.
Tensor Dot(const Operand& a, const Operand& b);
// numpy.inner: sums over the last axes. Vdot: of all elements, those of `a` conjugated.
Tensor Inner(const Operand& a, const Operand& b);
Tensor Vdot(const Operand& a, const Operand& b);
// All products of an element of `a` and one of `b`, which are taken for vectors.
Tensor Outer(const Operand& a, const Operand& b);
// Sums over the given axes of both, or over the last `axes` of `a` and the first of `b`.
Tensor Tensordot(const Operand& a, const Operand& b, const Axes& a_axes, const Axes& b_axes);
Tensor Tensordot(const Operand& a, const Operand& b, int64_t axes = 2);
Tensor Kron(const Operand& a, const Operand& b);

// An Einstein summation of any number of tensors, which are contracted from left to right:
// Einsum("bqd,bkd->bqk", {queries, keys}). "..." stands for further dimensions.
Tensor Einsum(absl::string_view labels, const Operands& operands);

}  // namespace acceld::client
