#include "server/compiler/spmd/indexed_op.h"

#include <algorithm>
#include <utility>

namespace acceld::compiler::spmd {

using ir::DType;
using ir::OpKind;
using ir::ValueId;

namespace {

// The type in which indices are shifted: a signed one in which no sum of an index and an offset
// comes back into the range of a shard when it overflows.
DType ShiftedType(DType dtype) {
  const bool is_wide = ir::BitsOf(dtype) > 32 || dtype == DType::kUI32;
  return is_wide ? DType::kI64 : DType::kI32;
}

}  // namespace

bool MayShiftIndices(DType dtype) { return ir::IsInteger(dtype) && dtype != DType::kUI64; }

IndexedOp::IndexedOp(ir::FunctionBuilder& builder, Exchange& exchange, const CanonicalMesh& mesh,
                     const ir::Op& op, const FactorRule& rule, const ir::TensorType& whole,
                     const Layout& layout)
    : emit_(builder, op.location), exchange_(exchange), op_(op) {
  const bool is_gather = op.kind == OpKind::kGather;
  if (!is_gather && op.kind != OpKind::kScatter) return;
  std::vector<int64_t> dimensions;
  std::vector<int64_t> slice_sizes(whole.dims.size(), 1);
  if (is_gather) {
    const auto& gather = op.As<ir::GatherAttributes>();
    dimensions = gather.dimension_numbers.start_index_map;
    index_vector_dim_ = gather.dimension_numbers.index_vector_dim;
    slice_sizes = gather.slice_sizes;
  } else {
    const auto& numbers = op.As<ir::ScatterAttributes>().scatter_dimension_numbers;
    dimensions = numbers.scatter_dims_to_operand_dims;
    index_vector_dim_ = numbers.index_vector_dim;
  }
  for (const int64_t dimension : dimensions) {
    const auto at = static_cast<size_t>(dimension);
    Component& component = components_.emplace_back();
    component.last = whole.dims[at] - slice_sizes[at];
    component.size = whole.dims[at] / mesh.SizeOf(layout.dimensions[at]);
    const std::vector<int>& factors = rule.operands[0][at];
    const bool is_indexed =
        !factors.empty() && rule.factors[static_cast<size_t>(factors[0])].is_indexed;
    if (is_indexed) component.axes = layout.dimensions[at];
    if (!component.axes.empty()) is_needed_ = true;
  }
}

ValueId IndexedOp::Components(const std::vector<ValueId>& scalars) {
  const ir::TensorType type = emit_.TypeOf(indices_);
  if (index_vector_dim_ == type.rank()) return emit_.Broadcast(scalars[0], type.dims);
  std::vector<ValueId> elements;
  for (const ValueId scalar : scalars) elements.push_back(emit_.Reshape(scalar, {1}));
  return emit_.Broadcast(emit_.Concatenate(std::move(elements), 0), type.dims, {index_vector_dim_});
}

ValueId IndexedOp::Shift(ValueId indices) {
  if (!is_needed_) return indices;
  const DType dtype = ShiftedType(emit_.TypeOf(indices).dtype);
  indices_ = emit_.Convert(indices, dtype);
  const auto constant = [&](int64_t value) {
    return emit_.Constant({dtype, {}}, static_cast<double>(value));
  };
  std::vector<ValueId> last, first;
  for (const Component& component : components_) {
    last.push_back(constant(component.last));
    const ValueId shard = emit_.Convert(exchange_.ShardAlong(component.axes), dtype);
    first.push_back(emit_.Mul(shard, constant(component.size)));
  }
  if (op_.kind == OpKind::kGather) {
    // Slices that reach beyond the end begin earlier, so that they are within the whole operand.
    const ValueId low = emit_.Fill(indices_, 0);
    indices_ = emit_.Op(OpKind::kClamp, {low, indices_, Components(last)});
  }
  indices_ = emit_.Sub(indices_, Components(first));
  exchange_.Note(emit_.status());
  return indices_;
}

ValueId IndexedOp::Masked(ValueId gathered) {
  if (!is_needed_) return gathered;
  const ir::TensorType type = emit_.TypeOf(indices_);
  std::vector<ValueId> sizes;
  for (const Component& component : components_) {
    sizes.push_back(emit_.Constant({type.dtype, {}}, static_cast<double>(component.size)));
  }
  ValueId is_inside = emit_.Op(
      OpKind::kAnd, {emit_.Compare(ir::ComparisonDirection::kGe, indices_, emit_.Fill(indices_, 0)),
                     emit_.Less(indices_, Components(sizes))});
  if (index_vector_dim_ < type.rank()) {
    std::vector<ir::Region> regions;
    regions.push_back(emit_.Reducer(OpKind::kAnd, DType::kI1));
    is_inside =
        emit_.OpWithRegions(OpKind::kReduce, {is_inside, emit_.Constant({DType::kI1, {}}, 1)},
                            ir::DimensionsAttributes{{index_vector_dim_}}, std::move(regions))[0];
  }
  const ir::TensorType result = emit_.TypeOf(gathered);
  const auto& offset_dims = op_.As<ir::GatherAttributes>().dimension_numbers.offset_dims;
  std::vector<int64_t> batch_dims;
  for (int64_t i = 0; i < result.rank(); ++i) {
    const bool is_offset =
        std::find(offset_dims.begin(), offset_dims.end(), i) != offset_dims.end();
    if (!is_offset) batch_dims.push_back(i);
  }
  const ValueId mask = emit_.Broadcast(is_inside, result.dims, std::move(batch_dims));
  const ValueId masked = emit_.Select(mask, gathered, emit_.Fill(gathered, 0));
  exchange_.Note(emit_.status());
  return masked;
}

}  // namespace acceld::compiler::spmd
