// Derivatives of linear algebra and Fourier transforms.
// Source: Giles, "Collected Matrix Derivative Results for Forward and Reverse Mode Algorithmic
// Differentiation" (2008); Murray, "Differentiation of the Cholesky decomposition" (2016).

#include <numeric>
#include <utility>

#include "common/ir/transform/derivation.h"

namespace acceld::ir {
namespace {

// Exchanges the last two dimensions, and conjugates complex numbers.
ValueId Adjoint(Emitter& e, ValueId x) {
  if (!e.ok()) return 0;
  const TensorType type = e.TypeOf(x);
  TransposeAttributes attributes;
  attributes.permutation.resize(static_cast<size_t>(type.rank()));
  std::iota(attributes.permutation.begin(), attributes.permutation.end(), 0);
  std::swap(attributes.permutation[type.rank() - 1], attributes.permutation[type.rank() - 2]);
  const ValueId transposed = e.Op(OpKind::kTranspose, {x}, std::move(attributes));
  if (!IsComplex(type.dtype)) return transposed;
  return e.Op(OpKind::kComplex,
              {e.Op(OpKind::kReal, {transposed}), e.Neg(e.Op(OpKind::kImag, {transposed}))});
}

// The product of the matrices in the last two dimensions.
ValueId MatMul(Emitter& e, ValueId a, ValueId b) {
  if (!e.ok()) return 0;
  const int64_t rank = e.TypeOf(a).rank();
  DotGeneralAttributes attributes;
  DotDimensionNumbers& numbers = attributes.dot_dimension_numbers;
  for (int64_t d = 0; d < rank - 2; ++d) {
    numbers.lhs_batching_dimensions.push_back(d);
    numbers.rhs_batching_dimensions.push_back(d);
  }
  numbers.lhs_contracting_dimensions = {rank - 1};
  numbers.rhs_contracting_dimensions = {rank - 2};
  attributes.precision_config = {Precision::kHighest, Precision::kHighest};
  const TensorType &left = e.TypeOf(a), &right = e.TypeOf(b);
  TensorType type = left;
  type.dims[rank - 1] = right.dims[rank - 1];
  return e.Op(OpKind::kDotGeneral, {a, b}, std::move(attributes), &type);
}

// The part of each matrix on and below the diagonal (`lower`), or on and above it; without the
// diagonal itself if `strict`.
ValueId Triangle(Emitter& e, ValueId x, bool lower, bool strict) {
  if (!e.ok()) return 0;
  const TensorType type = e.TypeOf(x);
  const TensorType index{DType::kI32, type.dims};
  const ValueId row = e.Iota(index, type.rank() - 2), column = e.Iota(index, type.rank() - 1);
  const ComparisonDirection direction =
      strict ? ComparisonDirection::kGt : ComparisonDirection::kGe;
  const ValueId kept =
      lower ? e.Compare(direction, row, column) : e.Compare(direction, column, row);
  return e.Select(kept, x, e.Fill(x, 0));
}

ValueId Solve(Emitter& e, ValueId a, ValueId b, TriangularSolveAttributes attributes) {
  return e.Op(OpKind::kTriangularSolve, {a, b}, attributes);
}

// The lower factor's tangent: L phi(L^-1 dA L^-H), where phi keeps the lower triangle and half of
// the diagonal.
ValueId CholeskyTangent(Emitter& l, ValueId factor, ValueId tangent) {
  const ValueId right = Solve(
      l, factor, tangent, {.left_side = false, .lower = true, .transpose_a = Transpose::kAdjoint});
  const ValueId both = Solve(l, factor, right, {.left_side = true, .lower = true});
  if (!l.ok()) return 0;
  const TensorType type = l.TypeOf(both);
  const TensorType index{DType::kI32, type.dims};
  const ValueId on_diagonal = l.Compare(ComparisonDirection::kEq, l.Iota(index, type.rank() - 2),
                                        l.Iota(index, type.rank() - 1));
  const ValueId weight = l.Select(on_diagonal, l.Fill(both, 0.5), l.Fill(both, 1));
  return MatMul(l, factor, Triangle(l, l.Mul(both, weight), /*lower=*/true, /*strict=*/false));
}

}  // namespace

absl::Status DeriveCholesky(Derivation& d) {
  Emitter& l = d.linear;
  if (d.As<CholeskyAttributes>().lower) {
    d.AddTangent(CholeskyTangent(l, d.InLinear(d.result()), d.tangent(0)));
  } else {
    const ValueId factor = Adjoint(d.known, d.result());
    d.AddTangent(Adjoint(l, CholeskyTangent(l, d.InLinear(factor), d.tangent(0))));
  }
  return absl::OkStatus();
}

absl::Status DeriveFft(Derivation& d) {
  d.AddTangent(d.CopyForTangents({0}));
  return absl::OkStatus();
}

// For op(A) X = B: op(A) dX = dB - op(dA) X; for X op(A) = B: dX op(A) = dB - X op(dA).
absl::Status DeriveTriangularSolve(Derivation& d) {
  const TriangularSolveAttributes& attributes = d.As<TriangularSolveAttributes>();
  Emitter& l = d.linear;
  if (d.IsActive(1)) d.AddTangent(d.CopyForTangents({1}));
  if (!d.IsActive(0)) return absl::OkStatus();
  ValueId tangent = Triangle(l, d.tangent(0), attributes.lower, attributes.unit_diagonal);
  if (attributes.transpose_a != Transpose::kNoTranspose) {
    tangent = Adjoint(l, tangent);
    if (attributes.transpose_a == Transpose::kTranspose && l.ok() &&
        IsComplex(l.TypeOf(tangent).dtype)) {
      return d.Refuse("its matrix is complex and transposed without being conjugated");
    }
  }
  const ValueId x = d.InLinear(d.result());
  const ValueId product = attributes.left_side ? MatMul(l, tangent, x) : MatMul(l, x, tangent);
  d.AddTangent(Solve(l, d.InLinear(d.operand(0)), l.Neg(product), attributes));
  return absl::OkStatus();
}

}  // namespace acceld::ir
