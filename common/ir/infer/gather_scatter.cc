#include "common/ir/infer/rules.h"

// Rules of gather and scatter, which have the same index arithmetic. The tensor that is indexed is
// the "operand", the tensor of start indices the "indices".
namespace acceld::ir {
namespace {

// How both ops index the operand. Members have the names of gather's attributes; messages use the
// names of the op itself.
struct Indexing {
  const char* collapsed_name;
  const char* operand_batching_name;
  const char* indices_batching_name;
  const char* index_map_name;
  absl::Span<const int64_t> collapsed;
  absl::Span<const int64_t> operand_batching;
  absl::Span<const int64_t> indices_batching;
  absl::Span<const int64_t> index_map;
  int64_t index_vector_dim;
};

absl::Status CheckDisjoint(absl::string_view a_name, absl::Span<const int64_t> a,
                           absl::string_view b_name, absl::Span<const int64_t> b) {
  for (int64_t value : a) {
    if (Contains(b, value)) return Refuse(a_name, " and ", b_name, " both have ", value);
  }
  return absl::OkStatus();
}

absl::Status CheckIndexing(const Indexing& indexing, const TensorType& operand,
                           const TensorType& indices) {
  if (!IsInteger(indices.dtype)) {
    return Refuse("the indices must be integers, not ", indices.ToString());
  }
  ACCELD_RETURN_IF_ERROR(
      CheckDimList(indexing.collapsed_name, indexing.collapsed, operand.rank(), true));
  ACCELD_RETURN_IF_ERROR(CheckDimList(indexing.operand_batching_name, indexing.operand_batching,
                                      operand.rank(), true));
  ACCELD_RETURN_IF_ERROR(CheckDisjoint(indexing.collapsed_name, indexing.collapsed,
                                       indexing.operand_batching_name, indexing.operand_batching));

  const int64_t vector_dim = indexing.index_vector_dim;
  if (vector_dim < 0 || vector_dim > indices.rank()) {
    return Refuse("index_vector_dim ", vector_dim, " is outside [0, ", indices.rank(), "]");
  }
  ACCELD_RETURN_IF_ERROR(
      CheckDimList(indexing.indices_batching_name, indexing.indices_batching, indices.rank()));
  if (Contains(indexing.indices_batching, vector_dim)) {
    return Refuse(indexing.indices_batching_name, " has index_vector_dim ", vector_dim);
  }
  if (indexing.operand_batching.size() != indexing.indices_batching.size()) {
    return Refuse(indexing.operand_batching_name, " has ", indexing.operand_batching.size(),
                  " dimensions and ", indexing.indices_batching_name, " ",
                  indexing.indices_batching.size());
  }
  for (size_t i = 0; i < indexing.operand_batching.size(); ++i) {
    const int64_t a = operand.dims[indexing.operand_batching[i]];
    const int64_t b = indices.dims[indexing.indices_batching[i]];
    if (!MayEqual(a, b)) {
      return Refuse("batching dimension ", indexing.operand_batching[i], " has size ", a,
                    ", its partner ", indexing.indices_batching[i], " of the indices ", b);
    }
  }

  const int64_t vector_size = vector_dim < indices.rank() ? indices.dims[vector_dim] : 1;
  if (!MayEqual(vector_size, static_cast<int64_t>(indexing.index_map.size()))) {
    return Refuse(indexing.index_map_name, " has ", indexing.index_map.size(),
                  " values, but an index vector has ", vector_size);
  }
  ACCELD_RETURN_IF_ERROR(CheckDimList(indexing.index_map_name, indexing.index_map, operand.rank()));
  return CheckDisjoint(indexing.index_map_name, indexing.index_map, indexing.operand_batching_name,
                       indexing.operand_batching);
}

// Returns the dimensions of the indices without index_vector_dim.
Dims BatchDims(const TensorType& indices, int64_t index_vector_dim) {
  Dims dims;
  for (int64_t i = 0; i < indices.rank(); ++i) {
    if (i != index_vector_dim) dims.push_back(indices.dims[i]);
  }
  return dims;
}

// Merges two lists: `window` at the positions `window_dims` (sorted), `batch` at the others, both
// in order.
Dims Interleave(const Dims& batch, const Dims& window, absl::Span<const int64_t> window_dims) {
  Dims dims;
  size_t next_batch = 0;
  size_t next_window = 0;
  const size_t rank = batch.size() + window.size();
  for (size_t i = 0; i < rank; ++i) {
    dims.push_back(Contains(window_dims, i) ? window[next_window++] : batch[next_batch++]);
  }
  return dims;
}

}  // namespace

InferResult InferGather(const InferContext& context) {
  const TensorType& operand = context.operand(0);
  const TensorType& indices = context.operand(1);
  const auto& attributes = context.As<GatherAttributes>();
  const GatherDimensionNumbers& numbers = attributes.dimension_numbers;
  ACCELD_RETURN_IF_ERROR(CheckIndexing({.collapsed_name = "collapsed_slice_dims",
                                        .operand_batching_name = "operand_batching_dims",
                                        .indices_batching_name = "start_indices_batching_dims",
                                        .index_map_name = "start_index_map",
                                        .collapsed = numbers.collapsed_slice_dims,
                                        .operand_batching = numbers.operand_batching_dims,
                                        .indices_batching = numbers.start_indices_batching_dims,
                                        .index_map = numbers.start_index_map,
                                        .index_vector_dim = numbers.index_vector_dim},
                                       operand, indices));
  const auto& sizes = attributes.slice_sizes;
  ACCELD_RETURN_IF_ERROR(CheckSize("slice_sizes", sizes.size(), operand.rank()));
  Dims window;
  for (int64_t i = 0; i < operand.rank(); ++i) {
    if (sizes[i] < 0 || (operand.dims[i] != kDynamicDim && sizes[i] > operand.dims[i])) {
      return Refuse("slice size ", sizes[i], " at dimension ", i, " of size ",
                    DimText(operand.dims[i]));
    }
    if (Contains(numbers.collapsed_slice_dims, i) || Contains(numbers.operand_batching_dims, i)) {
      if (sizes[i] > 1) {
        return Refuse("slice size ", sizes[i], " at dimension ", i,
                      ", which is collapsed or batching and takes at most 1");
      }
      continue;
    }
    window.push_back(sizes[i]);
  }
  const Dims batch = BatchDims(indices, numbers.index_vector_dim);
  ACCELD_RETURN_IF_ERROR(CheckSize("offset_dims", numbers.offset_dims.size(), window.size()));
  ACCELD_RETURN_IF_ERROR(
      CheckDimList("offset_dims", numbers.offset_dims, batch.size() + window.size(), true));
  return std::vector<Type>{
      TensorType{operand.dtype, Interleave(batch, window, numbers.offset_dims)}};
}

InferResult InferScatter(const InferContext& context) {
  if (context.operands.size() % 2 != 1) {
    return Refuse(context.operands.size(), " operands are not inputs, indices and as many updates");
  }
  const size_t inputs = context.operands.size() / 2;
  const TensorType& indices = context.operand(inputs);
  const TensorType& operand = context.operand(0);
  const TensorType& updates = context.operand(inputs + 1);
  const auto& numbers = context.As<ScatterAttributes>().scatter_dimension_numbers;
  ACCELD_RETURN_IF_ERROR(CheckIndexing({.collapsed_name = "inserted_window_dims",
                                        .operand_batching_name = "input_batching_dims",
                                        .indices_batching_name = "scatter_indices_batching_dims",
                                        .index_map_name = "scatter_dims_to_operand_dims",
                                        .collapsed = numbers.inserted_window_dims,
                                        .operand_batching = numbers.input_batching_dims,
                                        .indices_batching = numbers.scatter_indices_batching_dims,
                                        .index_map = numbers.scatter_dims_to_operand_dims,
                                        .index_vector_dim = numbers.index_vector_dim},
                                       operand, indices));

  std::vector<Type> results;
  std::vector<DType> dtypes;
  for (size_t i = 0; i < inputs; ++i) {
    const TensorType& input = context.operand(i);
    const TensorType& update = context.operand(inputs + 1 + i);
    if (!MayEqual(input.dims, operand.dims) || !MayEqual(update.dims, updates.dims)) {
      return Refuse("inputs and updates 0 and ", i, " differ in shape: ", operand.ToString(),
                    " with ", updates.ToString(), " and ", input.ToString(), " with ",
                    update.ToString());
    }
    if (input.dtype != update.dtype) {
      return Refuse("input ", i, " is ", input.ToString(), ", its update ", update.ToString());
    }
    results.push_back(input);
    dtypes.push_back(input.dtype);
  }
  ACCELD_RETURN_IF_ERROR(CheckReducer(context.regions[0], dtypes));

  // The dimensions of the operand over which a window of the updates extends, with their sizes.
  Dims window;
  for (int64_t i = 0; i < operand.rank(); ++i) {
    if (!Contains(numbers.inserted_window_dims, i) && !Contains(numbers.input_batching_dims, i)) {
      window.push_back(operand.dims[i]);
    }
  }
  const Dims batch = BatchDims(indices, numbers.index_vector_dim);
  ACCELD_RETURN_IF_ERROR(
      CheckSize("update_window_dims", numbers.update_window_dims.size(), window.size()));
  ACCELD_RETURN_IF_ERROR(CheckDimList("update_window_dims", numbers.update_window_dims,
                                      batch.size() + window.size(), true));
  const Dims expected = Interleave(batch, window, numbers.update_window_dims);
  if (updates.dims.size() != expected.size()) {
    return Refuse("updates ", updates.ToString(), " must have rank ", expected.size());
  }
  for (size_t i = 0; i < expected.size(); ++i) {
    const bool in_window = Contains(numbers.update_window_dims, i);
    if (MayEqual(updates.dims[i], expected[i])) continue;
    if (in_window && updates.dims[i] < expected[i]) continue;
    return Refuse("updates ", updates.ToString(), " have size ", updates.dims[i], " at dimension ",
                  i, ", where ", in_window ? "at most " : "", DimText(expected[i]), " is needed");
  }
  return results;
}

}  // namespace acceld::ir
