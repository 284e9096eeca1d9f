// Derivatives of reductions over dimensions and over windows.

#include <algorithm>

#include "common/ir/transform/composites/select_and_gather.h"
#include "common/ir/transform/derivation.h"
#include "common/ir/transform/reducer.h"

namespace acceld::ir {
namespace {

// The dimensions of `rank` that are not in `dimensions`, which are ascending or not.
std::vector<int64_t> Others(int64_t rank, const std::vector<int64_t>& dimensions) {
  std::vector<int64_t> others;
  for (int64_t d = 0; d < rank; ++d) {
    if (std::find(dimensions.begin(), dimensions.end(), d) == dimensions.end()) {
      others.push_back(d);
    }
  }
  return others;
}

// Elements that equal the result share its tangent equally. There are none if the initial value is
// beyond all of them, which `initial_may_win` says is possible.
void DeriveExtremum(Derivation& d, size_t i, const std::vector<int64_t>& dimensions,
                    bool initial_may_win) {
  Emitter& e = d.known;
  const ValueId x = d.operand(i);
  const TensorType type = d.operand_type(i);
  const ValueId result = e.Broadcast(d.result(i), type.dims, Others(type.rank(), dimensions));
  const ValueId is_result = e.Compare(ComparisonDirection::kEq, x, result);
  const ValueId chosen = e.Convert(is_result, type.dtype);
  ValueId count = e.Sum(chosen, dimensions);
  if (initial_may_win) count = e.Op(OpKind::kMaximum, {count, e.Fill(count, 1)});
  const ValueId sum = d.linear.Sum(d.linear.Mul(d.tangent(i), d.InLinear(chosen)), dimensions);
  d.AddTangent(d.linear.Div(sum, d.InLinear(count)), i);
}

// The part of `x` from `start` to `limit` along a dimension.
ValueId Part(Emitter& e, ValueId x, int64_t dimension, int64_t start, int64_t limit) {
  if (!e.ok()) return 0;
  const Dims dims = e.TypeOf(x).dims;
  SliceAttributes slice;
  slice.start_indices.assign(dims.size(), 0);
  slice.limit_indices.assign(dims.begin(), dims.end());
  slice.strides.assign(dims.size(), 1);
  slice.start_indices[dimension] = start;
  slice.limit_indices[dimension] = limit;
  return e.Op(OpKind::kSlice, {x}, std::move(slice));
}

// A product of many factors is that of its halves, and so on: no factor is divided by, as it may be
// zero.
void DeriveProduct(Derivation& d, size_t i, const std::vector<int64_t>& dimensions) {
  Emitter &e = d.known, &l = d.linear;
  ValueId x = d.operand(i), t = d.tangent(i);
  for (const int64_t dimension : dimensions) {
    while (e.ok() && e.TypeOf(x).dims[dimension] > 1) {
      const int64_t n = e.TypeOf(x).dims[dimension], half = n / 2;
      const ValueId a = Part(e, x, dimension, 0, half), b = Part(e, x, dimension, half, 2 * half);
      const ValueId ta = Part(l, t, dimension, 0, half), tb = Part(l, t, dimension, half, 2 * half);
      ValueId product = e.Mul(a, b);
      ValueId tangent = l.Add(l.Mul(ta, d.InLinear(b)), l.Mul(tb, d.InLinear(a)));
      if (n % 2 != 0) {
        product = e.Concatenate({product, Part(e, x, dimension, n - 1, n)}, dimension);
        tangent = l.Concatenate({tangent, Part(l, t, dimension, n - 1, n)}, dimension);
      }
      x = product;
      t = tangent;
    }
  }
  const Dims dims = d.result_type(i).dims;
  // An empty product is the initial value, which has no tangent here.
  if (e.ok() && e.TypeOf(x).num_elements() == 0) return;
  const ValueId initial = e.Broadcast(d.operand(d.num_operands() / 2 + i), dims);
  d.AddTangent(l.Mul(l.Reshape(t, dims), d.InLinear(initial)), i);
}

}  // namespace

absl::Status DeriveReduce(Derivation& d) {
  const std::vector<int64_t>& dimensions = d.As<DimensionsAttributes>().dimensions;
  const Region& region = d.op().regions[0];
  const size_t n = d.op().results.size();
  for (size_t i = 0; i < n; ++i) {
    const TensorType& type = d.result_type(i);
    if ((!IsFloat(type.dtype) && !IsComplex(type.dtype)) || !d.IsUsed(i)) continue;
    const absl::optional<OpKind> kind = ReducerOf(region, i);
    const bool is_known = kind == OpKind::kAdd || kind == OpKind::kMultiply ||
                          kind == OpKind::kMaximum || kind == OpKind::kMinimum;
    if (!is_known) {
      return d.Refuse("its reducer is neither a sum, a product, a maximum nor a minimum");
    }
    if (d.IsActive(n + i)) {
      if (kind != OpKind::kAdd) return d.Refuse("its initial value has a derivative");
      d.AddTangent(d.linear.Broadcast(d.tangent(n + i), type.dims), i);
    }
    if (!d.IsActive(i)) continue;
    if (kind == OpKind::kAdd) {
      d.AddTangent(d.linear.Sum(d.tangent(i), dimensions), i);
    } else if (kind == OpKind::kMultiply) {
      DeriveProduct(d, i, dimensions);
    } else {
      DeriveExtremum(d, i, dimensions, !IsIdentity(*kind, d.constant(n + i)));
    }
  }
  return absl::OkStatus();
}

absl::Status DeriveReduceWindow(Derivation& d) {
  const WindowAttributes& window = d.As<WindowAttributes>();
  const size_t n = d.op().results.size();
  for (size_t i = 0; i < n; ++i) {
    const DType dtype = d.result_type(i).dtype;
    if ((!IsFloat(dtype) && !IsComplex(dtype)) || !d.IsUsed(i)) continue;
    if (d.IsActive(n + i)) return d.Refuse("its initial value has a derivative");
    if (!d.IsActive(i)) continue;
    const absl::optional<OpKind> kind = ReducerOf(d.op().regions[0], i);
    Emitter& l = d.linear;
    if (kind == OpKind::kAdd) {
      std::vector<Region> regions;
      regions.push_back(l.Reducer(OpKind::kAdd, dtype));
      const ValueId zero = l.Constant({dtype, {}}, 0);
      d.AddTangent(
          l.OpWithRegions(OpKind::kReduceWindow, {d.tangent(i), zero}, window, std::move(regions))
              .front(),
          i);
    } else if (kind == OpKind::kMaximum || kind == OpKind::kMinimum) {
      ValueId tangent = SelectAndGather(d.function().differentiator(), l, d.tangent(i),
                                        d.InLinear(d.operand(i)), window, *kind);
      if (!IsIdentity(*kind, d.constant(n + i))) {
        // A window whose result is the initial value takes it from no element.
        Emitter& e = d.known;
        const ValueId initial = e.Broadcast(d.operand(n + i), d.result_type(i).dims);
        const ValueId is_initial = e.Compare(ComparisonDirection::kEq, d.result(i), initial);
        tangent = l.Select(d.InLinear(is_initial), l.Constant(d.result_type(i), 0), tangent);
      }
      d.AddTangent(tangent, i);
    } else {
      return d.Refuse("its reducer is neither a sum, a maximum nor a minimum");
    }
  }
  return absl::OkStatus();
}

// Of the operand only comparisons are used.
absl::Status DeriveSelectAndScatter(Derivation& d) {
  if (ReducerOf(d.op().regions[1]) != OpKind::kAdd) return d.Refuse("it does not add");
  if (d.IsActive(2)) return d.Refuse("its initial value has a derivative");
  if (!d.IsActive(1)) return absl::OkStatus();
  Emitter& l = d.linear;
  // The regions are the op's own: they capture nothing that has a derivative.
  d.AddTangent(l.OpWithRegions(OpKind::kSelectAndScatter,
                               {d.InLinear(d.operand(0)), d.tangent(1),
                                l.Constant({d.result_type().dtype, {}}, 0)},
                               d.op().attributes, d.CopyRegions())
                   .front());
  return absl::OkStatus();
}

}  // namespace acceld::ir
