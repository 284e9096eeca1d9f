#include "common/ir/transform/scatter_gather.h"

#include <algorithm>
#include <utility>

namespace acceld::ir {
namespace {

bool Contains(const std::vector<int64_t>& list, int64_t value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

// The dimensions of a window of updates, by dimension of the operand: 1 where the update has none.
std::vector<int64_t> WindowSizes(int64_t rank, const ScatterDimensionNumbers& numbers,
                                 const Dims& update_dims) {
  std::vector<int64_t> sizes(rank, 1);
  size_t next = 0;
  for (int64_t d = 0; d < rank; ++d) {
    if (Contains(numbers.inserted_window_dims, d) || Contains(numbers.input_batching_dims, d)) {
      continue;
    }
    sizes[d] = update_dims[numbers.update_window_dims[next++]];
  }
  return sizes;
}

// The largest start of a window in each dimension that an index vector names, as a tensor that
// combines with `indices`.
ValueId LargestStarts(Emitter& e, ValueId indices, int64_t index_vector_dim, const Dims& dims,
                      const std::vector<int64_t>& sizes, const std::vector<int64_t>& index_map) {
  if (!e.ok()) return 0;
  const TensorType type = e.TypeOf(indices);
  std::vector<ValueId> limits;
  for (const int64_t d : index_map) {
    limits.push_back(e.Constant({type.dtype, {1}}, static_cast<double>(dims[d] - sizes[d])));
  }
  if (index_vector_dim == type.rank()) return e.Broadcast(e.Reshape(limits[0], {}), type.dims);
  const ValueId vector = limits.size() == 1 ? limits[0] : e.Concatenate(std::move(limits), 0);
  return e.Broadcast(vector, type.dims, {index_vector_dim});
}

ValueId And(Emitter& e, ValueId a, ValueId b) { return e.Op(OpKind::kAnd, {a, b}); }

// Whether each window of updates is inside the operand, in the shape of the updates.
ValueId IsInside(Emitter& e, ValueId indices, const ScatterDimensionNumbers& numbers,
                 const Dims& operand_dims, const std::vector<int64_t>& sizes,
                 const Dims& update_dims) {
  const ValueId largest = LargestStarts(e, indices, numbers.index_vector_dim, operand_dims, sizes,
                                        numbers.scatter_dims_to_operand_dims);
  ValueId inside = And(e, e.Compare(ComparisonDirection::kGe, indices, e.Fill(indices, 0)),
                       e.Compare(ComparisonDirection::kLe, indices, largest));
  if (!e.ok()) return 0;
  if (numbers.index_vector_dim < e.TypeOf(indices).rank()) {
    std::vector<Region> regions;
    regions.push_back(e.Reducer(OpKind::kAnd, DType::kI1));
    inside = e.OpWithRegions(OpKind::kReduce, {inside, e.Constant({DType::kI1, {}}, 1)},
                             DimensionsAttributes{{numbers.index_vector_dim}}, std::move(regions))
                 .front();
  }
  std::vector<int64_t> scatter_dims;
  for (int64_t d = 0; d < static_cast<int64_t>(update_dims.size()); ++d) {
    if (!Contains(numbers.update_window_dims, d)) scatter_dims.push_back(d);
  }
  return e.Broadcast(inside, update_dims, std::move(scatter_dims));
}

}  // namespace

ValueId ReadBack(Emitter& e, ValueId operand, ValueId indices, const ScatterAttributes& attributes,
                 const Dims& update_dims) {
  if (!e.ok()) return 0;
  const ScatterDimensionNumbers& from = attributes.scatter_dimension_numbers;
  const Dims dims = e.TypeOf(operand).dims;
  const std::vector<int64_t> sizes =
      WindowSizes(static_cast<int64_t>(dims.size()), from, update_dims);
  GatherAttributes gather;
  gather.dimension_numbers = {.offset_dims = from.update_window_dims,
                              .collapsed_slice_dims = from.inserted_window_dims,
                              .operand_batching_dims = from.input_batching_dims,
                              .start_indices_batching_dims = from.scatter_indices_batching_dims,
                              .start_index_map = from.scatter_dims_to_operand_dims,
                              .index_vector_dim = from.index_vector_dim};
  gather.slice_sizes = sizes;
  gather.indices_are_sorted = attributes.indices_are_sorted;
  const ValueId read = e.Op(OpKind::kGather, {operand, indices}, std::move(gather));
  if (from.scatter_dims_to_operand_dims.empty()) return read;
  return e.Select(IsInside(e, indices, from, dims, sizes, update_dims), read, e.Fill(read, 0));
}

ValueId AddBack(Emitter& e, ValueId operand, ValueId indices, ValueId updates,
                const GatherAttributes& attributes) {
  if (!e.ok()) return 0;
  const GatherDimensionNumbers& from = attributes.dimension_numbers;
  ValueId inside = indices;
  if (!from.start_index_map.empty()) {
    // A gather moves windows into its operand; a scatter leaves out what is not in it.
    const ValueId largest = LargestStarts(e, indices, from.index_vector_dim, e.TypeOf(operand).dims,
                                          attributes.slice_sizes, from.start_index_map);
    inside = e.Op(OpKind::kClamp, {e.Fill(indices, 0), indices, largest});
  }
  ScatterAttributes scatter;
  scatter.scatter_dimension_numbers = {
      .update_window_dims = from.offset_dims,
      .inserted_window_dims = from.collapsed_slice_dims,
      .input_batching_dims = from.operand_batching_dims,
      .scatter_indices_batching_dims = from.start_indices_batching_dims,
      .scatter_dims_to_operand_dims = from.start_index_map,
      .index_vector_dim = from.index_vector_dim};
  scatter.indices_are_sorted = attributes.indices_are_sorted;
  return Scatter(e, operand, inside, updates, scatter, OpKind::kAdd);
}

ValueId Scatter(Emitter& e, ValueId operand, ValueId indices, ValueId updates,
                const ScatterAttributes& attributes, absl::optional<OpKind> kind) {
  if (!e.ok()) return 0;
  const DType dtype = e.TypeOf(operand).dtype;
  std::vector<Region> regions;
  regions.push_back(kind.has_value() ? e.Reducer(*kind, dtype) : e.Replacement(dtype));
  return e
      .OpWithRegions(OpKind::kScatter, {operand, indices, updates}, attributes, std::move(regions))
      .front();
}

}  // namespace acceld::ir
