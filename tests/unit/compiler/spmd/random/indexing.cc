#include <algorithm>
#include <numeric>

#include "tests/unit/compiler/spmd/random/sharded_function.h"

// Ops that move elements, or make them from indices.
namespace acceld::compiler::spmd {

using ir::DType;
using ir::OpKind;

namespace {

constexpr DType kIndexTypes[] = {DType::kI32,  DType::kI32, DType::kI64,
                                 DType::kUI32, DType::kI8,  DType::kUI64};

}  // namespace

void ShardedFunction::TryBroadcast() {
  const Value x = AnyValue();
  const ir::TensorType from = TypeOf(x);
  ir::TensorType to{from.dtype, {}};
  std::vector<int64_t> mapping;
  for (int64_t d = 0; d <= from.rank(); ++d) {
    if (dice_.OneIn(3)) to.dims.push_back(2 * dice_.Between(1, 4));
    if (d == from.rank()) break;
    mapping.push_back(to.rank());
    const int64_t size = from.dims[static_cast<size_t>(d)];
    to.dims.push_back(size == 1 && dice_.OneIn(2) ? 2 * dice_.Between(1, 4) : size);
  }
  if (to.rank() > 5) return;
  Keep(Make(OpKind::kBroadcastInDim, {x}, ir::BroadcastInDimAttributes{mapping}, &to), x.bound,
       true, {x});
}

void ShardedFunction::TryTranspose() {
  const Value x = AnyValue(dice_.OneIn(5) ? 0 : 2);
  std::vector<int64_t> permutation(static_cast<size_t>(TypeOf(x).rank()));
  std::iota(permutation.begin(), permutation.end(), 0);
  for (size_t i = permutation.size(); i > 1; --i) {
    std::swap(permutation[i - 1],
              permutation[static_cast<size_t>(dice_.Below(static_cast<int64_t>(i)))]);
  }
  Keep(Make(OpKind::kTranspose, {x}, ir::TransposeAttributes{permutation}), x.bound, true, {x});
}

// Splits dimensions, merges neighbours, adds and removes ones, makes one dimension of all, or
// exchanges the sizes of two.
void ShardedFunction::TryReshape() {
  const Value x = AnyValue();
  const ir::TensorType from = TypeOf(x);
  ir::TensorType to{from.dtype, {}};
  if (from.rank() > 1 && dice_.OneIn(8)) {
    to = from;
    std::swap(to.dims[static_cast<size_t>(dice_.Below(from.rank() - 1))], to.dims.back());
    return Keep(Make(OpKind::kReshape, {x}, ir::NoAttributes{}, &to), x.bound, true, {x});
  }
  const bool is_flat = dice_.OneIn(6);
  if (is_flat) to.dims.push_back(1);
  for (const int64_t size : from.dims) {
    const int64_t factor = dice_.Between(2, 4);
    if (is_flat || (to.rank() > 0 && dice_.OneIn(3))) {
      to.dims.back() *= size;
    } else if (size % factor == 0 && dice_.OneIn(2)) {
      to.dims.push_back(dice_.OneIn(2) ? factor : size / factor);
      to.dims.push_back(size == 0 ? 0 : size / to.dims.back());
    } else if (size != 1 || dice_.OneIn(2)) {
      if (dice_.OneIn(4)) to.dims.push_back(1);
      to.dims.push_back(size);
    }
  }
  if (to.rank() > 6) return;
  Keep(Make(OpKind::kReshape, {x}, ir::NoAttributes{}, &to), x.bound, true, {x});
}

void ShardedFunction::TryReverse() {
  const Value x = AnyValue(1);
  ir::DimensionsAttributes reverse;
  for (int64_t d = 0; d < TypeOf(x).rank(); ++d) {
    if (dice_.OneIn(2)) reverse.dimensions.push_back(d);
  }
  Keep(Make(OpKind::kReverse, {x}, reverse), x.bound, true, {x});
}

void ShardedFunction::TrySlice() {
  const Value x = AnyValue(1);
  ir::SliceAttributes slice;
  for (const int64_t size : TypeOf(x).dims) {
    const bool is_whole = dice_.OneIn(2);
    const int64_t start = is_whole ? 0 : dice_.Between(0, size);
    slice.start_indices.push_back(start);
    slice.limit_indices.push_back(is_whole || dice_.OneIn(2) ? size : dice_.Between(start, size));
    slice.strides.push_back(!is_whole && dice_.OneIn(3) ? dice_.Between(1, 3) : 1);
  }
  Keep(Make(OpKind::kSlice, {x}, slice), x.bound, true, {x});
}

void ShardedFunction::TryPad() {
  const Value x = AnyValue(1);
  ir::PadAttributes pad;
  for (int64_t d = 0; d < TypeOf(x).rank(); ++d) {
    const bool is_kept = dice_.OneIn(2);
    pad.edge_padding_low.push_back(is_kept ? 0 : dice_.Between(-1, 2));
    pad.edge_padding_high.push_back(is_kept ? 0 : dice_.Between(-1, 2));
    pad.interior_padding.push_back(!is_kept && dice_.OneIn(2) ? dice_.Below(3) : 0);
  }
  const Value padding = ValueOf({TypeOf(x).dtype, {}});
  const int64_t bound = x.bound > 0 && padding.bound > 0 ? std::max(x.bound, padding.bound) : 0;
  Keep(Make(OpKind::kPad, {x, padding}, pad), bound, true, {x, padding});
}

void ShardedFunction::TryConcatenate() {
  const Value x = AnyValue(1);
  Values parts = {x};
  int64_t bound = x.bound;
  const int64_t dimension = dice_.Below(TypeOf(x).rank());
  for (int64_t i = dice_.Below(3); i > 0; --i) {
    ir::TensorType type = TypeOf(x);
    if (dice_.OneIn(2)) type.dims[static_cast<size_t>(dimension)] = dice_.Between(0, 4);
    parts.push_back(ValueOf(type, /*exact=*/false));
    const int64_t other = parts.back().bound;
    bound = bound > 0 && other > 0 ? std::max(bound, other) : 0;
  }
  Keep(Make(OpKind::kConcatenate, parts, ir::DimensionAttributes{dimension}), bound, true, parts);
}

void ShardedFunction::TryDynamicSlice() {
  const Value x = AnyValue(1);
  ir::TensorType part = TypeOf(x);
  for (int64_t& size : part.dims) {
    if (dice_.OneIn(2)) size = dice_.Between(std::min<int64_t>(size, 1), size);
  }
  const DType index_type = dice_.Pick(kIndexTypes);
  Values operands = {x};
  const bool is_update = dice_.OneIn(2);
  if (is_update) operands.push_back(ValueOf(part, /*exact=*/false));
  const bool has_bounds = x.bound > 0 && operands.back().bound > 0;
  const int64_t bound = has_bounds ? std::max(x.bound, operands.back().bound) : 0;
  for (int64_t d = 0; d < part.rank(); ++d) operands.push_back(ValueOf({index_type, {}}));
  if (is_update) {
    return Keep(Make(OpKind::kDynamicUpdateSlice, operands), bound, true, operands);
  }
  const std::vector<int64_t> sizes(part.dims.begin(), part.dims.end());
  Keep(Make(OpKind::kDynamicSlice, operands, ir::DynamicSliceAttributes{sizes}), bound, true,
       operands);
}

void ShardedFunction::TryIota() {
  const ir::TensorType type{AnyDType(), AnyDims(1)};
  if (type.dtype == DType::kI1) return;
  const int64_t dimension = dice_.Below(type.rank());
  const int64_t bound = std::max<int64_t>(1, type.dims[static_cast<size_t>(dimension)]);
  Keep(Make(OpKind::kIota, {}, ir::IotaAttributes{dimension}, &type), bound, true, {});
}

// Like rows of a table, or any other gather.
void ShardedFunction::TryGather() {
  const Value x = AnyValue(1);
  const ir::TensorType operand = TypeOf(x);
  if (operand.num_elements() == 0) return;
  ir::TensorType indices{dice_.Pick(kIndexTypes), AnyDims(0, 2)};
  for (int64_t& size : indices.dims) size = std::max<int64_t>(size, 1);
  ir::GatherAttributes gather;
  auto& numbers = gather.dimension_numbers;
  const int64_t batch_rank = indices.rank();
  for (int64_t d = 0; d < operand.rank(); ++d) {
    const int64_t size = operand.dims[static_cast<size_t>(d)];
    if (batch_rank > 0 && numbers.operand_batching_dims.empty() && dice_.OneIn(4)) {
      const int64_t batch = dice_.Below(batch_rank);
      indices.dims[static_cast<size_t>(batch)] = size;
      numbers.operand_batching_dims = {d};
      numbers.start_indices_batching_dims = {batch};
      gather.slice_sizes.push_back(1);
      continue;
    }
    if (dice_.OneIn(2)) numbers.start_index_map.push_back(d);
    if (dice_.OneIn(3)) {
      numbers.collapsed_slice_dims.push_back(d);
      gather.slice_sizes.push_back(1);
    } else {
      gather.slice_sizes.push_back(dice_.OneIn(2) ? size : dice_.Between(1, size));
    }
  }
  numbers.index_vector_dim = dice_.Between(0, batch_rank);
  for (int64_t& batch : numbers.start_indices_batching_dims) {
    batch += batch >= numbers.index_vector_dim ? 1 : 0;
  }
  indices.dims.insert(indices.dims.begin() + numbers.index_vector_dim,
                      static_cast<int64_t>(numbers.start_index_map.size()));
  const int64_t window_rank =
      operand.rank() - static_cast<int64_t>(numbers.collapsed_slice_dims.size() +
                                            numbers.operand_batching_dims.size());
  std::vector<int64_t> all(static_cast<size_t>(batch_rank + window_rank));
  std::iota(all.begin(), all.end(), 0);
  while (static_cast<int64_t>(all.size()) > window_rank) {
    all.erase(all.begin() + dice_.Below(static_cast<int64_t>(all.size())));
  }
  numbers.offset_dims = all;
  const Value at = ValueOf(indices);
  Keep(Make(OpKind::kGather, {x, at}, gather), x.bound, true, {x, at});
}

void ShardedFunction::TryScatter() {
  const Value x = NumberValue(1, /*integer=*/true, /*real=*/true);
  const ir::TensorType operand = TypeOf(x);
  ir::TensorType indices{dice_.Pick(kIndexTypes), AnyDims(0, 2)};
  for (int64_t& size : indices.dims) size = std::max<int64_t>(size, 1);
  ir::ScatterAttributes scatter;
  auto& numbers = scatter.scatter_dimension_numbers;
  const int64_t batch_rank = indices.rank();
  ir::Dims window;
  for (int64_t d = 0; d < operand.rank(); ++d) {
    const int64_t size = operand.dims[static_cast<size_t>(d)];
    if (batch_rank > 0 && numbers.input_batching_dims.empty() && dice_.OneIn(4)) {
      const int64_t batch = dice_.Below(batch_rank);
      indices.dims[static_cast<size_t>(batch)] = size;
      numbers.input_batching_dims = {d};
      numbers.scatter_indices_batching_dims = {batch};
      continue;
    }
    if (dice_.OneIn(2)) numbers.scatter_dims_to_operand_dims.push_back(d);
    if (dice_.OneIn(3)) {
      numbers.inserted_window_dims.push_back(d);
    } else {
      window.push_back(dice_.OneIn(2) ? size : dice_.Between(1, size));
    }
  }
  // Window dimensions stand anywhere among those of the updates.
  ir::TensorType updates{operand.dtype, {}};
  size_t next_batch = 0, next_window = 0;
  while (next_batch < indices.dims.size() || next_window < window.size()) {
    const bool takes_window =
        next_batch == indices.dims.size() || (next_window < window.size() && dice_.OneIn(2));
    if (takes_window) numbers.update_window_dims.push_back(updates.rank());
    updates.dims.push_back(takes_window ? window[next_window++] : indices.dims[next_batch++]);
  }
  numbers.index_vector_dim = dice_.Between(0, batch_rank);
  for (int64_t& batch : numbers.scatter_indices_batching_dims) {
    batch += batch >= numbers.index_vector_dim ? 1 : 0;
  }
  indices.dims.insert(indices.dims.begin() + numbers.index_vector_dim,
                      static_cast<int64_t>(numbers.scatter_dims_to_operand_dims.size()));
  if (updates.num_elements() > 600) return;
  KeepScatter(x, ValueOf(indices), ValueOf(updates), std::move(scatter));
}

void ShardedFunction::KeepScatter(const Value& x, const Value& at, const Value& updates,
                                  ir::ScatterAttributes attributes) {
  const DType dtype = TypeOf(x).dtype;
  const OpKind kind = AnyCombiner(dtype);
  // Floats are multiplied once at most, so that they stay small.
  if (kind == OpKind::kMultiply && ir::IsFloat(dtype)) return;
  const int64_t bound = BoundOf(kind, updates.bound, x.bound, TypeOf(updates).num_elements());
  std::vector<ir::Region> regions;
  regions.push_back(Combiner(kind, dtype));
  const auto results = b_.Add(OpKind::kScatter, {x.id, at.id, updates.id}, std::move(attributes),
                              std::move(regions));
  if (!results.ok()) return;
  Keep(results->front(), bound, IsExact(kind, dtype, bound), {x, at, updates});
}

}  // namespace acceld::compiler::spmd
