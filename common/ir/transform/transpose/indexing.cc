// Transposes of ops that move elements: they move cotangents back, and add those of copies.

#include <algorithm>
#include <numeric>
#include <utility>

#include "common/ir/transform/scatter_gather.h"
#include "common/ir/transform/transposition.h"

namespace acceld::ir {

ACCELD_NOT_LINEAR(BitcastConvert)
ACCELD_NOT_LINEAR(Iota)

absl::Status TransposeBroadcastInDim(Transposition& t) {
  const std::vector<int64_t>& dimensions = t.As<BroadcastInDimAttributes>().broadcast_dimensions;
  const TensorType &from = t.operand_type(0), &to = t.result_type();
  // Sums over the dimensions that are new, and over those of size 1 that were repeated.
  std::vector<int64_t> summed, kept;
  for (int64_t d = 0; d < to.rank(); ++d) {
    const auto position = std::find(dimensions.begin(), dimensions.end(), d);
    const bool is_kept =
        position != dimensions.end() && from.dims[position - dimensions.begin()] == to.dims[d];
    (is_kept ? kept : summed).push_back(d);
  }
  Emitter& e = t.emit;
  ValueId sum = summed.empty() ? t.cotangent() : e.Sum(t.cotangent(), summed);
  // The operand's dimensions need not be in the order of the result's.
  std::vector<int64_t> permutation;
  for (size_t i = 0; i < dimensions.size(); ++i) {
    const auto position = std::find(kept.begin(), kept.end(), dimensions[i]);
    if (position != kept.end()) permutation.push_back(position - kept.begin());
  }
  if (!std::is_sorted(permutation.begin(), permutation.end())) {
    sum = e.Op(OpKind::kTranspose, {sum}, TransposeAttributes{permutation});
  }
  t.AddCotangent(0, e.Reshape(sum, from.dims));
  return absl::OkStatus();
}

absl::Status TransposeReshape(Transposition& t) {
  t.AddCotangent(0, t.emit.Reshape(t.cotangent(), t.operand_type(0).dims));
  return absl::OkStatus();
}

absl::Status TransposeReverse(Transposition& t) {
  t.AddCotangent(0, t.emit.Op(OpKind::kReverse, {t.cotangent()}, t.op().attributes));
  return absl::OkStatus();
}

absl::Status TransposeTranspose(Transposition& t) {
  const std::vector<int64_t>& permutation = t.As<TransposeAttributes>().permutation;
  TransposeAttributes inverse;
  inverse.permutation.resize(permutation.size());
  for (size_t i = 0; i < permutation.size(); ++i) {
    inverse.permutation[permutation[i]] = static_cast<int64_t>(i);
  }
  t.AddCotangent(0, t.emit.Op(OpKind::kTranspose, {t.cotangent()}, std::move(inverse)));
  return absl::OkStatus();
}

absl::Status TransposeSlice(Transposition& t) {
  const SliceAttributes& slice = t.As<SliceAttributes>();
  const TensorType &from = t.operand_type(0), &to = t.result_type();
  const auto stride_of = [&](int64_t d) { return slice.strides.empty() ? 1 : slice.strides[d]; };
  std::vector<int64_t> partial;
  bool is_dense = true;
  for (int64_t d = 0; d < from.rank(); ++d) {
    if (to.dims[d] != from.dims[d]) partial.push_back(d);
    is_dense = is_dense && (stride_of(d) == 1 || to.dims[d] <= 1);
  }
  if (is_dense && partial.size() == 1) {
    t.AddPart(0, {partial[0], slice.start_indices[partial[0]], t.cotangent()});
    return absl::OkStatus();
  }
  PadAttributes pad;
  for (int64_t d = 0; d < from.rank(); ++d) {
    const int64_t stride = stride_of(d);
    const int64_t covered = to.dims[d] == 0 ? 0 : (to.dims[d] - 1) * stride + 1;
    pad.edge_padding_low.push_back(slice.start_indices[d]);
    pad.edge_padding_high.push_back(from.dims[d] - slice.start_indices[d] - covered);
    pad.interior_padding.push_back(stride - 1);
  }
  const ValueId zero = t.emit.Constant({from.dtype, {}}, 0);
  t.AddCotangent(0, t.emit.Op(OpKind::kPad, {t.cotangent(), zero}, std::move(pad)));
  return absl::OkStatus();
}

absl::Status TransposePad(Transposition& t) {
  const PadAttributes& pad = t.As<PadAttributes>();
  const TensorType& from = t.operand_type(0);
  Emitter& e = t.emit;
  const ValueId zero = e.Constant({from.dtype, {}}, 0);
  // Undoes the edges, then takes what lies between the interior padding.
  PadAttributes edges;
  SliceAttributes slice;
  for (int64_t d = 0; d < from.rank(); ++d) {
    edges.edge_padding_low.push_back(-pad.edge_padding_low[d]);
    edges.edge_padding_high.push_back(-pad.edge_padding_high[d]);
    edges.interior_padding.push_back(0);
    slice.start_indices.push_back(0);
    slice.strides.push_back(pad.interior_padding[d] + 1);
    slice.limit_indices.push_back(
        from.dims[d] == 0 ? 0 : (from.dims[d] - 1) * slice.strides.back() + 1);
  }
  const ValueId inner = e.Op(OpKind::kPad, {t.cotangent(), zero}, std::move(edges));
  const ValueId operand = e.Op(OpKind::kSlice, {inner}, std::move(slice));
  t.AddCotangent(0, operand);
  if (!t.IsLinear(1)) return absl::OkStatus();
  std::vector<int64_t> all(static_cast<size_t>(from.rank()));
  std::iota(all.begin(), all.end(), 0);
  t.AddCotangent(1, e.Sub(e.Sum(t.cotangent(), all), e.Sum(operand, all)));
  return absl::OkStatus();
}

absl::Status TransposeConcatenate(Transposition& t) {
  const int64_t dimension = t.As<DimensionAttributes>().dimension;
  const Dims dims = t.result_type().dims;
  int64_t start = 0;
  for (size_t i = 0; i < t.num_operands(); ++i) {
    const int64_t limit = start + t.operand_type(i).dims[dimension];
    if (t.IsLinear(i)) {
      SliceAttributes slice;
      slice.start_indices.assign(dims.size(), 0);
      slice.limit_indices.assign(dims.begin(), dims.end());
      slice.strides.assign(dims.size(), 1);
      slice.start_indices[dimension] = start;
      slice.limit_indices[dimension] = limit;
      t.AddCotangent(i, t.emit.Op(OpKind::kSlice, {t.cotangent()}, std::move(slice)));
    }
    start = limit;
  }
  return absl::OkStatus();
}

namespace {

// The operands of dynamic_slice or dynamic_update_slice from number `first` on: the start.
absl::StatusOr<std::vector<ValueId>> StartOf(Transposition& t, size_t first) {
  std::vector<ValueId> start;
  for (size_t i = first; i < t.num_operands(); ++i) {
    if (t.IsLinear(i)) return t.Refuse("an index depends on linear arguments");
    start.push_back(t.known(i));
  }
  return start;
}

}  // namespace

absl::Status TransposeDynamicSlice(Transposition& t) {
  ACCELD_ASSIGN_OR_RETURN(std::vector<ValueId> operands, StartOf(t, 1));
  operands.insert(operands.begin(), {t.emit.Constant(t.operand_type(0), 0), t.cotangent()});
  t.AddCotangent(0, t.emit.Op(OpKind::kDynamicUpdateSlice, std::move(operands)));
  return absl::OkStatus();
}

absl::Status TransposeDynamicUpdateSlice(Transposition& t) {
  ACCELD_ASSIGN_OR_RETURN(const std::vector<ValueId> start, StartOf(t, 2));
  if (t.IsLinear(0)) {
    std::vector<ValueId> operands = {t.cotangent(), t.emit.Constant(t.operand_type(1), 0)};
    operands.insert(operands.end(), start.begin(), start.end());
    t.AddCotangent(0, t.emit.Op(OpKind::kDynamicUpdateSlice, std::move(operands)));
  }
  if (t.IsLinear(1)) {
    std::vector<ValueId> operands = {t.cotangent()};
    operands.insert(operands.end(), start.begin(), start.end());
    const Dims& dims = t.operand_type(1).dims;
    t.AddCotangent(1, t.emit.Op(OpKind::kDynamicSlice, std::move(operands),
                                DynamicSliceAttributes{{dims.begin(), dims.end()}}));
  }
  return absl::OkStatus();
}

absl::Status TransposeGather(Transposition& t) {
  if (t.IsLinear(1)) return t.Refuse("the indices depend on linear arguments");
  t.AddCotangent(0, AddBack(t.emit, t.emit.Constant(t.operand_type(0), 0), t.known(1),
                            t.cotangent(), t.As<GatherAttributes>()));
  return absl::OkStatus();
}

}  // namespace acceld::ir
