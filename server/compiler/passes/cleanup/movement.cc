#include "server/compiler/passes/cleanup/movement.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "server/compiler/passes/cleanup/static_scatter.h"

namespace acceld::compiler {
namespace {

using ir::OpKind;

bool AllEqual(const std::vector<int64_t>& values, int64_t value) {
  return std::all_of(values.begin(), values.end(), [&](int64_t v) { return v == value; });
}

bool Forward(Rewriter& rewriter, const ir::Op& op, ir::ValueId value) {
  rewriter.Replace(op.results[0], value);
  return true;
}

bool HasOperandType(const Rewriter& rewriter, const ir::Op& op) {
  return rewriter.TypeOf(op.operands[0]) == rewriter.TypeOf(op.results[0]);
}

// Replaces the op by one with the same result type.
bool ReplaceBy(Rewriter& rewriter, const ir::Op& op, OpKind kind, std::vector<ir::ValueId> operands,
               ir::OpAttributes attributes) {
  ir::Type type = rewriter.TypeOf(op.results[0]);
  rewriter.Replace(op.results[0], rewriter.Emit(kind, std::move(operands), std::move(attributes),
                                                std::move(type), op.location));
  return true;
}

bool ReplaceByReshape(Rewriter& rewriter, const ir::Op& op) {
  if (HasOperandType(rewriter, op)) return Forward(rewriter, op, op.operands[0]);
  return ReplaceBy(rewriter, op, OpKind::kReshape, {op.operands[0]}, ir::NoAttributes{});
}

absl::StatusOr<bool> VisitReshape(Rewriter& rewriter, ir::Op& op) {
  if (HasOperandType(rewriter, op)) return Forward(rewriter, op, op.operands[0]);
  if (const ir::Literal* value = rewriter.ConstantOf(op.operands[0])) {
    const absl::string_view bytes = value->bytes();
    ACCELD_ASSIGN_OR_RETURN(ir::Literal reshaped,
                            ir::Literal::FromBytes(rewriter.TensorOf(op.results[0]),
                                                   std::string(bytes.data(), bytes.size())));
    return Forward(rewriter, op, rewriter.EmitConstant(std::move(reshaped), op.location));
  }
  const ir::Op* source = rewriter.DefinitionOf(op.operands[0]);
  if (source != nullptr && source->kind == OpKind::kReshape) {
    op.operands[0] = source->operands[0];
    if (HasOperandType(rewriter, op)) return Forward(rewriter, op, op.operands[0]);
  }
  return false;
}

bool VisitTranspose(Rewriter& rewriter, ir::Op& op) {
  auto& permutation = std::get<ir::TransposeAttributes>(op.attributes).permutation;
  const ir::Op* source = rewriter.DefinitionOf(op.operands[0]);
  if (source != nullptr && source->kind == OpKind::kTranspose) {
    const auto& inner = source->As<ir::TransposeAttributes>().permutation;
    for (int64_t& dim : permutation) dim = inner[dim];
    op.operands[0] = source->operands[0];
  }
  // The order of dimensions of size 1 does not matter: if the others keep their order, no element
  // moves.
  int64_t last = -1;
  const ir::TensorType& type = rewriter.TensorOf(op.operands[0]);
  for (int64_t dim : permutation) {
    if (type.dims[dim] == 1) continue;
    if (dim < last) return false;
    last = dim;
  }
  return ReplaceByReshape(rewriter, op);
}

bool VisitBroadcast(Rewriter& rewriter, ir::Op& op) {
  auto& dims = std::get<ir::BroadcastInDimAttributes>(op.attributes).broadcast_dimensions;
  const ir::Op* source = rewriter.DefinitionOf(op.operands[0]);
  if (source != nullptr && source->kind == OpKind::kBroadcastInDim) {
    std::vector<int64_t> composed;
    for (int64_t dim : source->As<ir::BroadcastInDimAttributes>().broadcast_dimensions) {
      composed.push_back(dims[dim]);
    }
    // This also holds for a dimension of size 1 that the inner broadcast stretches.
    dims = std::move(composed);
    op.operands[0] = source->operands[0];
  }
  const ir::TensorType& from = rewriter.TensorOf(op.operands[0]);
  const ir::TensorType& to = rewriter.TensorOf(op.results[0]);
  if (from.num_elements() != to.num_elements()) return false;
  int64_t last = -1;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (from.dims[i] == 1) continue;
    if (dims[i] < last) return false;
    last = dims[i];
  }
  return ReplaceByReshape(rewriter, op);
}

bool VisitConcatenate(Rewriter& rewriter, ir::Op& op) {
  const int64_t dimension = op.As<ir::DimensionAttributes>().dimension;
  if (op.operands.size() > 1) {
    std::vector<ir::ValueId> kept;
    for (ir::ValueId id : op.operands) {
      if (rewriter.TensorOf(id).dims[dimension] != 0) kept.push_back(id);
    }
    if (kept.empty()) kept.push_back(op.operands[0]);
    op.operands = std::move(kept);
  }
  return op.operands.size() == 1 && Forward(rewriter, op, op.operands[0]);
}

// Appends the constant start indices, clamped as dynamic_slice does, to `starts`. Returns false if
// an index is not constant.
bool ConstantStarts(const Rewriter& rewriter, absl::Span<const ir::ValueId> indices,
                    const ir::Dims& from, absl::Span<const int64_t> sizes,
                    std::vector<int64_t>& starts) {
  for (size_t i = 0; i < indices.size(); ++i) {
    const ir::Literal* index = rewriter.ConstantOf(indices[i]);
    if (index == nullptr) return false;
    const ir::DType dtype = index->type().dtype;
    int64_t start = ir::ReadInt(dtype, index->bytes().data(), 0);
    // A ui64 past the range of i64 reads as negative and means the far end.
    if (start < 0 && ir::IsUnsigned(dtype)) start = INT64_MAX;
    starts.push_back(std::clamp<int64_t>(start, 0, from[i] - sizes[i]));
  }
  return true;
}

// Whether a dynamic_slice reads exactly what a dynamic_update_slice has just written.
bool ReadsUpdate(const Rewriter& rewriter, const ir::Op& op) {
  const ir::Op* const update = rewriter.DefinitionOf(op.operands[0]);
  return update != nullptr && update->kind == OpKind::kDynamicUpdateSlice &&
         rewriter.TypeOf(update->operands[1]) == rewriter.TypeOf(op.results[0]) &&
         std::equal(op.operands.begin() + 1, op.operands.end(), update->operands.begin() + 2,
                    update->operands.end());
}

bool VisitDynamicSlice(Rewriter& rewriter, ir::Op& op) {
  if (HasOperandType(rewriter, op)) return Forward(rewriter, op, op.operands[0]);
  if (ReadsUpdate(rewriter, op)) {
    return Forward(rewriter, op, rewriter.DefinitionOf(op.operands[0])->operands[1]);
  }
  const ir::Dims& from = rewriter.TensorOf(op.operands[0]).dims;
  const auto& sizes = op.As<ir::DynamicSliceAttributes>().slice_sizes;
  ir::SliceAttributes slice;
  if (!ConstantStarts(rewriter, absl::MakeConstSpan(op.operands).subspan(1), from, sizes,
                      slice.start_indices)) {
    return false;
  }
  for (size_t i = 0; i < sizes.size(); ++i) {
    slice.limit_indices.push_back(slice.start_indices[i] + sizes[i]);
  }
  slice.strides.assign(sizes.size(), 1);
  return ReplaceBy(rewriter, op, OpKind::kSlice, {op.operands[0]}, std::move(slice));
}

// Replaces a reduction over dimensions of size 1 by one operation with an elementwise op, which
// combines each element with the initial value.
bool VisitReduce(Rewriter& rewriter, ir::Op& op) {
  const ir::Region& reducer = op.regions[0];
  if (op.results.size() != 1 || reducer.ops.size() != 1) return false;
  const ir::Op& combine = reducer.ops[0];
  const bool commutes = combine.kind == OpKind::kAdd || combine.kind == OpKind::kMultiply ||
                        combine.kind == OpKind::kMaximum || combine.kind == OpKind::kMinimum ||
                        combine.kind == OpKind::kAnd || combine.kind == OpKind::kOr;
  if (!commutes || combine.results != reducer.results ||
      !std::is_permutation(combine.operands.begin(), combine.operands.end(),
                           reducer.parameters.begin(), reducer.parameters.end())) {
    return false;
  }
  const ir::TensorType operand = rewriter.TensorOf(op.operands[0]);
  const ir::TensorType result = rewriter.TensorOf(op.results[0]);
  const ir::DType initial = rewriter.TensorOf(op.operands[1]).dtype;
  if (operand.dtype != result.dtype || initial != result.dtype) return false;
  for (int64_t dim : op.As<ir::DimensionsAttributes>().dimensions) {
    if (operand.dims[dim] != 1) return false;
  }
  const ir::ValueId element =
      rewriter.Emit(OpKind::kReshape, {op.operands[0]}, ir::NoAttributes{}, result, op.location);
  const ir::ValueId start = rewriter.Emit(OpKind::kBroadcastInDim, {op.operands[1]},
                                          ir::BroadcastInDimAttributes{}, result, op.location);
  rewriter.Replace(op.results[0], rewriter.Emit(combine.kind, {start, element}, combine.attributes,
                                                result, op.location));
  return true;
}

}  // namespace

absl::StatusOr<bool> SimplifyMovement(Rewriter& rewriter, ir::Op& op) {
  if (op.kind == OpKind::kReshape) return VisitReshape(rewriter, op);
  if (op.kind == OpKind::kTranspose) return VisitTranspose(rewriter, op);
  if (op.kind == OpKind::kBroadcastInDim) return VisitBroadcast(rewriter, op);
  if (op.kind == OpKind::kConcatenate) return VisitConcatenate(rewriter, op);
  if (op.kind == OpKind::kDynamicSlice) return VisitDynamicSlice(rewriter, op);
  if (op.kind == OpKind::kConvert || op.kind == OpKind::kBitcastConvert ||
      op.kind == OpKind::kSlice || op.kind == OpKind::kPad) {
    // A pad that keeps the shape may still shift (low 1, high -1).
    if (op.kind == OpKind::kPad) {
      const auto& pad = op.As<ir::PadAttributes>();
      if (!AllEqual(pad.edge_padding_low, 0) || !AllEqual(pad.edge_padding_high, 0)) return false;
    }
    return HasOperandType(rewriter, op) && Forward(rewriter, op, op.operands[0]);
  }
  if (op.kind == OpKind::kDynamicUpdateSlice) {
    // An update as large as the operand replaces all of it.
    return rewriter.TypeOf(op.operands[1]) == rewriter.TypeOf(op.operands[0]) &&
           Forward(rewriter, op, op.operands[1]);
  }
  if (op.kind == OpKind::kReduce) return VisitReduce(rewriter, op);
  if (op.kind == OpKind::kScatter) return ReplaceStaticScatter(rewriter, op);
  if (op.kind == OpKind::kReverse) {
    const ir::Dims& dims = rewriter.TensorOf(op.operands[0]).dims;
    for (int64_t dim : op.As<ir::DimensionsAttributes>().dimensions) {
      if (dims[dim] > 1) return false;
    }
    return Forward(rewriter, op, op.operands[0]);
  }
  if (op.kind == OpKind::kSelect) {
    return op.operands[1] == op.operands[2] && Forward(rewriter, op, op.operands[1]);
  }
  return false;
}

}  // namespace acceld::compiler
