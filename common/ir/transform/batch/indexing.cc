// Ops that move elements leave the dimension of the examples as it is. If each example has its own
// indices, slices become gathers and updates become scatters.

#include <algorithm>
#include <utility>

#include "common/ir/transform/batching.h"
#include "common/ir/transform/lists.h"

namespace acceld::ir {
namespace {

// The dimensions from 1 to `count`.
std::vector<int64_t> FromOne(int64_t count) {
  std::vector<int64_t> dimensions;
  for (int64_t d = 1; d <= count; ++d) dimensions.push_back(d);
  return dimensions;
}

bool AnyIsBatched(const Batching& b, size_t first) {
  for (size_t i = first; i < b.num_operands(); ++i) {
    if (b.IsBatched(i)) return true;
  }
  return false;
}

// The scalars from operand `first` on, as one index vector for each example.
ValueId IndexVectors(Batching& b, size_t first) {
  std::vector<ValueId> columns;
  for (size_t i = first; i < b.num_operands(); ++i) {
    columns.push_back(b.emit.Reshape(b.BatchedOperand(i), {b.size(), 1}));
  }
  return columns.size() == 1 ? columns[0] : b.emit.Concatenate(std::move(columns), 1);
}

// The scalars from operand `first` on, which are the same for all examples, after that of the
// dimension of the examples.
void AppendStart(Batching& b, size_t first, std::vector<ValueId>& operands) {
  if (first < b.num_operands()) {
    operands.push_back(b.emit.Constant(b.operand_type(first), 0));
  } else {
    operands.push_back(b.emit.Constant({DType::kI32, {}}, 0));
  }
  for (size_t i = first; i < b.num_operands(); ++i) operands.push_back(b.operand(i));
}

}  // namespace

// Has no operands.
absl::Status BatchIota(Batching&) { return absl::OkStatus(); }

absl::Status BatchBitcastConvert(Batching& b) {
  b.SetOp({b.operand(0)}, NoAttributes{});
  return absl::OkStatus();
}

absl::Status BatchReshape(Batching& b) {
  b.SetOp({b.operand(0)}, NoAttributes{});
  return absl::OkStatus();
}

absl::Status BatchBroadcastInDim(Batching& b) {
  auto attributes = b.As<BroadcastInDimAttributes>();
  attributes.broadcast_dimensions = WithFirst(0, Shifted(attributes.broadcast_dimensions));
  b.SetOp({b.operand(0)}, std::move(attributes));
  return absl::OkStatus();
}

absl::Status BatchConcatenate(Batching& b) {
  b.SetOp(b.BatchedOperands(), DimensionAttributes{b.As<DimensionAttributes>().dimension + 1});
  return absl::OkStatus();
}

absl::Status BatchReverse(Batching& b) {
  b.SetOp({b.operand(0)}, DimensionsAttributes{Shifted(b.As<DimensionsAttributes>().dimensions)});
  return absl::OkStatus();
}

absl::Status BatchTranspose(Batching& b) {
  b.SetOp({b.operand(0)},
          TransposeAttributes{WithFirst(0, Shifted(b.As<TransposeAttributes>().permutation))});
  return absl::OkStatus();
}

absl::Status BatchSlice(Batching& b) {
  auto attributes = b.As<SliceAttributes>();
  attributes.start_indices = WithFirst(0, attributes.start_indices);
  attributes.limit_indices = WithFirst(b.size(), attributes.limit_indices);
  if (!attributes.strides.empty()) attributes.strides = WithFirst(1, attributes.strides);
  b.SetOp({b.operand(0)}, std::move(attributes));
  return absl::OkStatus();
}

absl::Status BatchPad(Batching& b) {
  auto attributes = b.As<PadAttributes>();
  attributes.edge_padding_low = WithFirst(0, attributes.edge_padding_low);
  attributes.edge_padding_high = WithFirst(0, attributes.edge_padding_high);
  attributes.interior_padding = WithFirst(0, attributes.interior_padding);
  if (!b.IsBatched(1)) {
    b.SetOp({b.operand(0), b.operand(1)}, std::move(attributes));
    return absl::OkStatus();
  }
  // Each example has its own padding: where a pad of ones with zeros is zero.
  Emitter& e = b.emit;
  const TensorType& type = b.operand_type(0);
  const ValueId ones = e.Constant(b.function().BatchedType({DType::kI1, type.dims}), 1);
  const ValueId inside = e.Op(OpKind::kPad, {ones, e.Constant({DType::kI1, {}}, 0)}, attributes);
  const ValueId padded =
      e.Op(OpKind::kPad, {b.BatchedOperand(0), e.Constant({type.dtype, {}}, 0)}, attributes);
  const ValueId padding = e.Broadcast(b.operand(1), b.BatchedResultType().dims, {0});
  b.SetResult(e.Select(inside, padded, padding));
  return absl::OkStatus();
}

absl::Status BatchDynamicSlice(Batching& b) {
  const std::vector<int64_t>& sizes = b.As<DynamicSliceAttributes>().slice_sizes;
  const int64_t rank = b.operand_type(0).rank();
  if (!AnyIsBatched(b, 1)) {
    std::vector<ValueId> operands = {b.operand(0)};
    AppendStart(b, 1, operands);
    b.SetOp(std::move(operands), DynamicSliceAttributes{WithFirst(b.size(), sizes)});
    return absl::OkStatus();
  }
  const bool is_batched = b.IsBatched(0);
  GatherAttributes gather;
  GatherDimensionNumbers& numbers = gather.dimension_numbers;
  numbers.offset_dims = FromOne(rank);
  numbers.index_vector_dim = 1;
  for (int64_t d = 0; d < rank; ++d) numbers.start_index_map.push_back(is_batched ? d + 1 : d);
  gather.slice_sizes = sizes;
  if (is_batched) {
    numbers.operand_batching_dims = numbers.start_indices_batching_dims = {0};
    gather.slice_sizes = WithFirst(1, sizes);
  }
  b.SetResult(b.emit.Op(OpKind::kGather, {b.operand(0), IndexVectors(b, 1)}, std::move(gather)));
  return absl::OkStatus();
}

absl::Status BatchDynamicUpdateSlice(Batching& b) {
  Emitter& e = b.emit;
  if (!AnyIsBatched(b, 2)) {
    std::vector<ValueId> operands = {b.BatchedOperand(0), b.BatchedOperand(1)};
    AppendStart(b, 2, operands);
    b.SetOp(std::move(operands), NoAttributes{});
    return absl::OkStatus();
  }
  const TensorType &type = b.operand_type(0), &update = b.operand_type(1);
  const int64_t rank = type.rank();
  ScatterAttributes scatter;
  ScatterDimensionNumbers& numbers = scatter.scatter_dimension_numbers;
  numbers.update_window_dims = FromOne(rank);
  numbers.input_batching_dims = numbers.scatter_indices_batching_dims = {0};
  numbers.scatter_dims_to_operand_dims = FromOne(rank);
  numbers.index_vector_dim = 1;
  scatter.unique_indices = true;
  // An update moves inside the operand; a scatter leaves out what is not in it.
  const ValueId indices = IndexVectors(b, 2);
  std::vector<ValueId> limits;
  for (int64_t d = 0; d < rank; ++d) {
    limits.push_back(e.Constant({b.operand_type(2).dtype, {1}},
                                static_cast<double>(type.dims[d] - update.dims[d])));
  }
  const ValueId limit = limits.size() == 1 ? limits[0] : e.Concatenate(std::move(limits), 0);
  const ValueId inside = e.Op(
      OpKind::kClamp, {e.Fill(indices, 0), indices, e.Broadcast(limit, {b.size(), rank}, {1})});
  std::vector<Region> regions;
  regions.push_back(e.Replacement(type.dtype));
  b.SetResult(e.OpWithRegions(OpKind::kScatter, {b.BatchedOperand(0), inside, b.BatchedOperand(1)},
                              std::move(scatter), std::move(regions))
                  .front());
  return absl::OkStatus();
}

absl::Status BatchGather(Batching& b) {
  auto gather = b.As<GatherAttributes>();
  GatherDimensionNumbers& numbers = gather.dimension_numbers;
  numbers.offset_dims = Shifted(numbers.offset_dims);
  if (b.IsBatched(0)) {
    numbers.collapsed_slice_dims = Shifted(numbers.collapsed_slice_dims);
    numbers.operand_batching_dims = Shifted(numbers.operand_batching_dims);
    numbers.start_index_map = Shifted(numbers.start_index_map);
  }
  if (b.IsBatched(1)) {
    numbers.start_indices_batching_dims = Shifted(numbers.start_indices_batching_dims);
    ++numbers.index_vector_dim;
  }
  if (b.IsBatched(0) && b.IsBatched(1)) {
    numbers.operand_batching_dims = WithFirst(0, numbers.operand_batching_dims);
    numbers.start_indices_batching_dims = WithFirst(0, numbers.start_indices_batching_dims);
    gather.slice_sizes = WithFirst(1, gather.slice_sizes);
  } else if (b.IsBatched(0)) {
    // The examples are one more dimension of each slice.
    numbers.offset_dims = WithFirst(0, numbers.offset_dims);
    gather.slice_sizes = WithFirst(b.size(), gather.slice_sizes);
  }
  b.SetOp({b.operand(0), b.operand(1)}, std::move(gather));
  return absl::OkStatus();
}

absl::Status BatchScatter(Batching& b) {
  if (b.RegionsCaptureBatched()) return b.OneByOne();
  auto scatter = b.As<ScatterAttributes>();
  ScatterDimensionNumbers& numbers = scatter.scatter_dimension_numbers;
  const size_t n = b.op().results.size();
  numbers.update_window_dims = Shifted(numbers.update_window_dims);
  numbers.inserted_window_dims = Shifted(numbers.inserted_window_dims);
  numbers.input_batching_dims = Shifted(numbers.input_batching_dims);
  numbers.scatter_dims_to_operand_dims = Shifted(numbers.scatter_dims_to_operand_dims);
  if (b.IsBatched(n)) {
    numbers.input_batching_dims = WithFirst(0, numbers.input_batching_dims);
    numbers.scatter_indices_batching_dims =
        WithFirst(0, Shifted(numbers.scatter_indices_batching_dims));
    ++numbers.index_vector_dim;
  } else {
    // The examples are one more dimension of each window.
    numbers.update_window_dims = WithFirst(0, numbers.update_window_dims);
  }
  std::vector<ValueId> operands;
  for (size_t i = 0; i < b.num_operands(); ++i) {
    operands.push_back(i == n ? b.operand(i) : b.BatchedOperand(i));
  }
  b.SetOpWithRegions(std::move(operands), std::move(scatter));
  return absl::OkStatus();
}

}  // namespace acceld::ir
