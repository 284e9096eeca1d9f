#include <algorithm>
#include <numeric>

#include "tests/unit/compiler/random/random_function.h"

namespace acceld::compiler {

using ir::DType;
using ir::OpKind;

void RandomFunction::TryMovement() {
  if (dice_.OneIn(4)) {
    const ir::TensorType type{AnyDType(), AnyDims()};
    if (type.rank() == 0 || type.dtype == DType::kI1) return;
    return Keep(Make(OpKind::kIota, {}, ir::IotaAttributes{dice_.Below(type.rank())}, &type), true);
  }
  const Value x = AnyValue();
  std::vector<int64_t> dims(TypeOf(x).rank());
  std::iota(dims.begin(), dims.end(), 0);
  for (size_t i = dims.size(); i > 1; --i) std::swap(dims[i - 1], dims[dice_.Below(i)]);
  if (dice_.OneIn(2)) {
    return Keep(Make(OpKind::kTranspose, {x}, ir::TransposeAttributes{dims}), x.exact);
  }
  dims.resize(dice_.Below(static_cast<int64_t>(dims.size()) + 1));
  Keep(Make(OpKind::kReverse, {x}, ir::DimensionsAttributes{dims}), x.exact);
}

void RandomFunction::TryBroadcast() {
  const Value x = AnyValue();
  const ir::TensorType from = TypeOf(x);
  ir::TensorType to{from.dtype, {}};
  std::vector<int64_t> mapping;
  for (int64_t d = 0; d <= from.rank(); ++d) {
    for (int64_t extra = dice_.OneIn(2) ? dice_.Below(2) : 0; extra > 0; --extra) {
      to.dims.push_back(dice_.Between(dice_.OneIn(20) ? 0 : 1, 5));
    }
    if (d == from.rank()) break;
    mapping.push_back(to.rank());
    to.dims.push_back(from.dims[d] == 1 && dice_.OneIn(2) ? dice_.Between(1, 6) : from.dims[d]);
  }
  if (to.num_elements() > 5000 || to.rank() > 6) return;
  Keep(Make(OpKind::kBroadcastInDim, {x}, ir::BroadcastInDimAttributes{mapping}, &to), x.exact);
}

void RandomFunction::TryReshape() {
  const Value x = AnyValue();
  const ir::TensorType from = TypeOf(x);
  ir::TensorType to{from.dtype, {}};
  for (int64_t size : from.dims) {
    const int64_t factor = dice_.Between(2, 4);
    if (to.rank() > 0 && dice_.OneIn(3)) {
      to.dims.back() *= size;
    } else if (size % factor == 0 && dice_.OneIn(2)) {
      to.dims.push_back(factor);
      to.dims.push_back(size / factor);
    } else {
      if (dice_.OneIn(4)) to.dims.push_back(1);
      to.dims.push_back(size);
    }
  }
  Keep(Make(OpKind::kReshape, {x}, ir::NoAttributes{}, &to), x.exact);
}

void RandomFunction::TrySlices() {
  const Value x = AnyValue();
  ir::SliceAttributes slice;
  for (int64_t size : TypeOf(x).dims) {
    const int64_t start = dice_.OneIn(2) ? 0 : dice_.Between(0, size);
    slice.start_indices.push_back(start);
    slice.limit_indices.push_back(dice_.OneIn(2) ? size : dice_.Between(start, size));
    slice.strides.push_back(dice_.OneIn(3) ? dice_.Between(1, 4) : 1);
  }
  Keep(Make(OpKind::kSlice, {x}, slice), x.exact);
}

void RandomFunction::TryPad() {
  const Value x = AnyValue();
  ir::PadAttributes pad;
  for (int64_t d = 0; d < TypeOf(x).rank(); ++d) {
    pad.edge_padding_low.push_back(dice_.OneIn(2) ? 0 : dice_.Between(-2, 3));
    pad.edge_padding_high.push_back(dice_.OneIn(2) ? 0 : dice_.Between(-2, 3));
    pad.interior_padding.push_back(dice_.OneIn(3) ? dice_.Below(3) : 0);
  }
  Keep(Make(OpKind::kPad, {x, ValueOf({TypeOf(x).dtype, {}}, true)}, pad), x.exact);
}

void RandomFunction::TryConcatenate() {
  const Value x = RankedValue(1);
  std::vector<Value> parts = {x};
  bool exact = x.exact;
  const int64_t dimension = dice_.Below(TypeOf(x).rank());
  for (int64_t i = dice_.Below(4); i > 0; --i) {
    ir::TensorType type = TypeOf(x);
    if (dice_.OneIn(2)) type.dims[dimension] = dice_.Between(0, 4);
    parts.push_back(ValueOf(type));
    exact = exact && parts.back().exact;
  }
  Keep(Make(OpKind::kConcatenate, parts, ir::DimensionAttributes{dimension}), exact);
}

void RandomFunction::TryDynamicSlice() {
  static constexpr DType kIndexTypes[] = {DType::kI32,  DType::kI64,  DType::kUI8,
                                          DType::kUI32, DType::kUI64, DType::kI8};
  const Value x = AnyValue();
  ir::TensorType part = TypeOf(x);
  for (int64_t& size : part.dims) {
    if (dice_.OneIn(2)) size = dice_.Between(std::min<int64_t>(size, 1), size);
  }
  const DType index_type = dice_.Pick(kIndexTypes);
  std::vector<Value> operands = {x};
  const bool update = dice_.OneIn(2);
  if (update) operands.push_back(ValueOf(part));
  const bool exact = x.exact && operands.back().exact;
  for (int64_t d = 0; d < part.rank(); ++d) operands.push_back(ValueOf({index_type, {}}, true));
  if (update) return Keep(Make(OpKind::kDynamicUpdateSlice, operands), exact);
  const std::vector<int64_t> sizes(part.dims.begin(), part.dims.end());
  Keep(Make(OpKind::kDynamicSlice, operands, ir::DynamicSliceAttributes{sizes}), exact);
}

void RandomFunction::TryGather() {
  const Value x = RankedValue(1);
  const ir::TensorType operand = TypeOf(x);
  ir::TensorType indices{dice_.OneIn(2) ? DType::kI32 : DType::kI64, {}};
  ir::GatherAttributes gather;
  auto& numbers = gather.dimension_numbers;
  for (int64_t i = dice_.Below(3); i > 0; --i) indices.dims.push_back(dice_.Between(1, 5));
  const int64_t batch_rank = indices.rank();
  for (int64_t d = 0; d < operand.rank(); ++d) {
    if (batch_rank > 0 && numbers.operand_batching_dims.empty() && dice_.OneIn(4)) {
      const int64_t batch = dice_.Below(batch_rank);
      indices.dims[batch] = operand.dims[d];
      numbers.operand_batching_dims = {d};
      numbers.start_indices_batching_dims = {batch};
      gather.slice_sizes.push_back(1);
      continue;
    }
    if (dice_.OneIn(2)) numbers.start_index_map.push_back(d);
    if (dice_.OneIn(2)) {
      numbers.collapsed_slice_dims.push_back(d);
      gather.slice_sizes.push_back(1);
    } else {
      gather.slice_sizes.push_back(dice_.Between(1, operand.dims[d]));
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
  std::vector<int64_t> all(batch_rank + window_rank);
  std::iota(all.begin(), all.end(), 0);
  while (static_cast<int64_t>(all.size()) > window_rank) {
    all.erase(all.begin() + dice_.Below(static_cast<int64_t>(all.size())));
  }
  numbers.offset_dims = all;
  Keep(Make(OpKind::kGather, {x, ValueOf(indices, true)}, gather), x.exact);
}

}  // namespace acceld::compiler
