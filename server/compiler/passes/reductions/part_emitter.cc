#include "server/compiler/passes/reductions/part_emitter.h"

#include <algorithm>
#include <string>

#include "server/compiler/fusion/cost.h"

namespace acceld::compiler {
namespace {

using ir::OpKind;

// The most ops that parts are computed by; what is behind them is sliced.
constexpr int kMostOps = 64;

void AddUses(const ir::Region& region, ValueUses& uses) {
  for (ir::ValueId id : region.parameters) uses[id].region = &region;
  for (const ir::Op& op : region.ops) {
    for (ir::ValueId id : op.results) uses[id].region = &region;
    for (ir::ValueId id : op.operands) ++uses[id].count;
    for (const ir::Region& inner : op.regions) AddUses(inner, uses);
  }
  for (ir::ValueId id : region.results) ++uses[id].count;
}

}  // namespace

ValueUses FindUses(const ir::Function& function) {
  ValueUses uses;
  AddUses(function.body, uses);
  return uses;
}

ir::ValueId PartEmitter::At(ir::ValueId value, const Place& place) {
  const bool is_whole =
      std::all_of(place.begin(), place.end(), [](int64_t index) { return index == kAll; });
  if (is_whole) return value;
  const auto key = std::make_pair(value, place);
  if (const auto found = parts_.find(key); found != parts_.end()) return found->second;
  return parts_[key] = Emit(value, place);
}

ir::ValueId PartEmitter::Emit(ir::ValueId value, const Place& place) {
  ir::TensorType type = rewriter_.TensorOf(value);
  const ir::Dims dims = type.dims;
  type.dims.clear();
  for (size_t d = 0; d < place.size(); ++d) {
    if (place[d] == kAll) type.dims.push_back(dims[d]);
  }
  if (type.num_elements() == rewriter_.TensorOf(value).num_elements()) {
    return Reshape(value, std::move(type));
  }
  const ir::Op* definition = rewriter_.DefinitionOf(value);
  if (definition != nullptr && num_emitted_ < kMostOps && MayRepeat(value, *definition)) {
    if (IsPointwise(*definition)) return OfElementwise(*definition, place, std::move(type));
    if (definition->kind == OpKind::kBroadcastInDim) {
      return OfBroadcast(*definition, place, std::move(type));
    }
    if (definition->kind == OpKind::kConstant &&
        definition->As<ir::ConstantAttributes>().value.is_splat()) {
      const absl::string_view element = definition->As<ir::ConstantAttributes>().value.bytes();
      auto scalar = ir::Literal::FromBytes({type.dtype, {}}, std::string(element));
      if (scalar.ok()) {
        return rewriter_.Emit(OpKind::kBroadcastInDim,
                              {rewriter_.EmitConstant(*std::move(scalar), location_)},
                              ir::BroadcastInDimAttributes{}, std::move(type), location_);
      }
    }
  }
  return Slice(value, place, std::move(type));
}

bool PartEmitter::MayRepeat(ir::ValueId value, const ir::Op& op) const {
  const auto use = uses_.find(value);
  if (use == uses_.end() || use->second.region != region_) return false;
  return use->second.count <= 1 || CostOf(rewriter_.function(), op) <= 1;
}

// By value, as are those below: ops that are emitted invalidate the rewriter's definitions.
ir::ValueId PartEmitter::OfElementwise(ir::Op op, const Place& place, ir::TensorType type) {
  ++num_emitted_;
  const ir::Dims dims = rewriter_.TensorOf(op.results[0]).dims;
  for (ir::ValueId& operand : op.operands) {
    if (rewriter_.TensorOf(operand).dims == dims) operand = At(operand, place);
  }
  return rewriter_.Emit(op.kind, std::move(op.operands), std::move(op.attributes), std::move(type),
                        location_);
}

ir::ValueId PartEmitter::OfBroadcast(ir::Op op, const Place& place, ir::TensorType type) {
  ++num_emitted_;
  const ir::Dims dims = rewriter_.TensorOf(op.operands[0]).dims;
  // The number of each dimension among those without an index.
  std::vector<int64_t> position(place.size());
  for (size_t d = 1; d < place.size(); ++d) {
    position[d] = position[d - 1] + (place[d - 1] == kAll ? 1 : 0);
  }
  Place inner(dims.size(), kAll);
  ir::BroadcastInDimAttributes broadcast;
  const auto& to = op.As<ir::BroadcastInDimAttributes>().broadcast_dimensions;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (place[to[i]] == kAll) {
      broadcast.broadcast_dimensions.push_back(position[to[i]]);
    } else {
      inner[i] = dims[i] == 1 ? 0 : place[to[i]];
    }
  }
  const ir::ValueId part = At(op.operands[0], inner);
  if (rewriter_.TensorOf(part).dims == type.dims) return part;
  return rewriter_.Emit(OpKind::kBroadcastInDim, {part}, std::move(broadcast), std::move(type),
                        location_);
}

ir::ValueId PartEmitter::Slice(ir::ValueId value, const Place& place, ir::TensorType type) {
  ir::TensorType sliced = rewriter_.TensorOf(value);
  ir::SliceAttributes slice;
  for (size_t d = 0; d < place.size(); ++d) {
    const bool all = place[d] == kAll;
    slice.start_indices.push_back(all ? 0 : place[d]);
    slice.limit_indices.push_back(all ? sliced.dims[d] : place[d] + 1);
    slice.strides.push_back(1);
    if (!all) sliced.dims[d] = 1;
  }
  const ir::ValueId part =
      rewriter_.Emit(OpKind::kSlice, {value}, std::move(slice), std::move(sliced), location_);
  return Reshape(part, std::move(type));
}

ir::ValueId PartEmitter::Reshape(ir::ValueId value, ir::TensorType type) {
  const ir::Op* definition = rewriter_.DefinitionOf(value);
  if (definition != nullptr && definition->kind == OpKind::kReshape) {
    value = definition->operands[0];
  }
  if (rewriter_.TensorOf(value).dims == type.dims) return value;
  return rewriter_.Emit(OpKind::kReshape, {value}, ir::NoAttributes{}, std::move(type), location_);
}

}  // namespace acceld::compiler
