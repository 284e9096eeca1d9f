// Derivatives of updates of parts of a tensor.

#include "common/ir/transform/derivation.h"
#include "common/ir/transform/reducer.h"
#include "common/ir/transform/scatter_gather.h"

namespace acceld::ir {
absl::Status DeriveDynamicUpdateSlice(Derivation& d) {
  d.AddTangent(d.CopyForTangents({0, 1}));
  return absl::OkStatus();
}

// Operands: tensors, indices, updates.
absl::Status DeriveScatter(Derivation& d) {
  const ScatterAttributes& attributes = d.As<ScatterAttributes>();
  const Region& region = d.op().regions[0];
  const size_t n = d.op().results.size();
  Emitter &e = d.known, &l = d.linear;
  const ValueId indices = d.operand(n);
  for (size_t i = 0; i < n; ++i) {
    const size_t update = n + 1 + i;
    if (!d.IsActive(i) && !d.IsActive(update)) continue;
    const absl::optional<OpKind> kind = ReducerOf(region, i);
    const TensorType type = d.operand_type(i);
    const ValueId linear_indices = d.InLinear(indices);
    if (kind == OpKind::kAdd) {
      d.AddTangent(Scatter(l, d.TangentOrZeros(i), linear_indices, d.TangentOrZeros(update),
                           attributes, OpKind::kAdd),
                   i);
    } else if (IsReplacement(region, i)) {
      // Which updates are in the result: each writes its number, and reads what is there at last.
      const TensorType numbers{DType::kI64, type.dims};
      const TensorType update_numbers{DType::kI64, d.operand_type(update).dims};
      const ValueId number = e.Convert(e.LinearIndex(update_numbers.dims), DType::kI64);
      const ValueId last = Scatter(e, e.Constant(numbers, -1), indices, number, attributes, {});
      const ValueId kept =
          e.Convert(e.Compare(ComparisonDirection::kEq,
                              ReadBack(e, last, indices, attributes, update_numbers.dims), number),
                    type.dtype);
      if (d.IsActive(i)) {
        const ValueId untouched = e.Compare(ComparisonDirection::kLt, last, e.Constant(numbers, 0));
        d.AddTangent(l.Select(d.InLinear(untouched), d.tangent(i), l.Constant(type, 0)), i);
      }
      if (d.IsActive(update)) {
        d.AddTangent(Scatter(l, l.Constant(type, 0), linear_indices,
                             l.Mul(d.tangent(update), d.InLinear(kept)), attributes, OpKind::kAdd),
                     i);
      }
    } else if (kind == OpKind::kMultiply) {
      if (d.IsActive(i)) {
        const ValueId factor = Scatter(e, e.Constant(type, 1), indices, d.operand(update),
                                       attributes, OpKind::kMultiply);
        d.AddTangent(l.Mul(d.tangent(i), d.InLinear(factor)), i);
      }
      if (d.IsActive(update)) {
        if (!attributes.unique_indices) {
          return d.Refuse("it multiplies by updates, and its indices are not said to be unique");
        }
        const ValueId old =
            ReadBack(e, d.operand(i), indices, attributes, d.operand_type(update).dims);
        d.AddTangent(Scatter(l, l.Constant(type, 0), linear_indices,
                             l.Mul(d.tangent(update), d.InLinear(old)), attributes, OpKind::kAdd),
                     i);
      }
    } else {
      return d.Refuse("it neither adds, multiplies nor replaces elements");
    }
  }
  return absl::OkStatus();
}

}  // namespace acceld::ir
