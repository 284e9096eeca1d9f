#include "server/compiler/passes/reductions/widen_scatters.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/types/optional.h"
#include "server/compiler/passes/rewriter.h"

namespace acceld::compiler {
namespace {

using ir::DType;
using ir::OpKind;

// A scatter with fewer elements of updates is not widened: it rounds each time, as the program
// says.
constexpr int64_t kMinUpdates = 1024;
// From how many updates on, for each element of the result on average, there are many.
constexpr int64_t kManyUpdates = 8;
// From how many elements on, for each update, an input is large: converting it would take longer
// than the updates, which may be made in place.
constexpr int64_t kLargeInput = 16;

// Whether the region is one op of this kind of its two parameters.
bool IsOne(const ir::Region& region, OpKind kind) {
  return region.ops.size() == 1 && region.ops[0].kind == kind && region.parameters.size() == 2 &&
         std::is_permutation(region.ops[0].operands.begin(), region.ops[0].operands.end(),
                             region.parameters.begin(), region.parameters.end()) &&
         region.results == region.ops[0].results;
}

absl::optional<DType> TwiceAsWide(DType dtype) {
  if (dtype == DType::kF32) return DType::kF64;
  if (dtype == DType::kC64) return DType::kC128;
  return absl::nullopt;
}

// Whether the value is a broadcast scalar or a constant, which can be converted at no cost.
bool IsFilled(const Rewriter& rewriter, ir::ValueId id) {
  const ir::Op* definition = rewriter.DefinitionOf(id);
  if (definition != nullptr && definition->kind == OpKind::kBroadcastInDim) {
    return rewriter.TensorOf(definition->operands[0]).num_elements() == 1;
  }
  return rewriter.ConstantOf(id) != nullptr;
}

bool IsNarrow(DType dtype) { return ir::IsFloat(dtype) && ir::BitsOf(dtype) <= 16; }

absl::optional<DType> WideTypeOfScatter(const Rewriter& rewriter, const ir::Op& op) {
  if (op.results.size() != 1 || op.As<ir::ScatterAttributes>().unique_indices ||
      !IsOne(op.regions[0], OpKind::kAdd)) {
    return absl::nullopt;
  }
  const ir::TensorType& input = rewriter.TensorOf(op.operands[0]);
  const int64_t elements = input.num_elements();
  const int64_t updates = rewriter.TensorOf(op.operands[2]).num_elements();
  if (updates < kMinUpdates) return absl::nullopt;
  if (IsNarrow(input.dtype)) {
    const bool is_large = elements / kLargeInput >= updates;
    if (is_large && !IsFilled(rewriter, op.operands[0])) return absl::nullopt;
    return DType::kF32;
  }
  if (updates / kManyUpdates < std::max<int64_t>(elements, 1)) return absl::nullopt;
  return TwiceAsWide(input.dtype);
}

absl::optional<DType> WideTypeOfSelectAndScatter(const Rewriter& rewriter, const ir::Op& op) {
  if (!IsNarrow(rewriter.TensorOf(op.operands[0]).dtype) ||
      rewriter.TensorOf(op.operands[1]).num_elements() < kMinUpdates ||
      !IsOne(op.regions[0], OpKind::kCompare) || !IsOne(op.regions[1], OpKind::kAdd)) {
    return absl::nullopt;
  }
  return DType::kF32;
}

class Widening {
 public:
  Widening(Rewriter& rewriter, const ir::Op& op, DType wide)
      : rewriter_(rewriter),
        op_(op),
        narrow_(rewriter.TensorOf(op.results[0]).dtype),
        wide_(wide) {}

  void Run() {
    ir::Op op = op_;
    for (ir::ValueId& operand : op.operands) {
      if (rewriter_.TensorOf(operand).dtype == narrow_) operand = Converted(operand, wide_);
    }
    for (ir::Region& region : op.regions) region = Widened(region);
    op.results = {NewWideValue(op_.results[0])};
    const ir::ValueId sum = op.results[0];
    rewriter_.Append(std::move(op));
    rewriter_.Replace(op_.results[0], Converted(sum, narrow_));
  }

 private:
  ir::ValueId Converted(ir::ValueId id, DType dtype) {
    return rewriter_.Emit(OpKind::kConvert, {id}, ir::NoAttributes{},
                          ir::TensorType{dtype, rewriter_.TensorOf(id).dims}, op_.location);
  }

  // Returns a new value of the type of `id`, with the wide element type instead of the narrow one.
  ir::ValueId NewWideValue(ir::ValueId id) {
    ir::TensorType type = rewriter_.TensorOf(id);
    if (type.dtype == narrow_) type.dtype = wide_;
    return rewriter_.NewValue(std::move(type));
  }

  // A copy of a region of one op (IsOne).
  ir::Region Widened(const ir::Region& region) {
    const ir::ValueId first = NewWideValue(region.parameters[0]);
    const ir::ValueId second = NewWideValue(region.parameters[1]);
    ir::Op op = region.ops[0];
    for (ir::ValueId& operand : op.operands) {
      operand = operand == region.parameters[0] ? first : second;
    }
    op.results = {NewWideValue(op.results[0])};
    ir::Region widened;
    widened.parameters = {first, second};
    widened.results = op.results;
    widened.ops.push_back(std::move(op));
    return widened;
  }

  Rewriter& rewriter_;
  const ir::Op& op_;
  const DType narrow_, wide_;
};

absl::StatusOr<bool> Visit(Rewriter& rewriter, ir::Op& op) {
  absl::optional<DType> wide;
  if (op.kind == OpKind::kScatter) wide = WideTypeOfScatter(rewriter, op);
  if (op.kind == OpKind::kSelectAndScatter) wide = WideTypeOfSelectAndScatter(rewriter, op);
  if (!wide.has_value()) return false;
  Widening(rewriter, op, *wide).Run();
  return true;
}

}  // namespace

absl::StatusOr<ir::Module> WidenScatters(const ir::Module& module, const codegen::Target&) {
  return RewriteEach(module, Visit);
}

}  // namespace acceld::compiler
