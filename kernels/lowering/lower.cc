#include "kernels/lowering/lower.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "common/ir/op_table.h"
#include "kernels/lowering/op_kernel.h"

namespace acceld::kernels {
namespace {

using OpLowering = absl::StatusOr<LoweredOp> (*)(const Computation&);

constexpr ir::OpTable<OpLowering> kLowerings = {
#define ACCELD_ELEMENTWISE_OP(Kind, ...) {ir::OpKind::k##Kind, &LowerLoops},
#define ACCELD_INDEXING_OP(Kind, ...) {ir::OpKind::k##Kind, &LowerLoops},
#define ACCELD_NEST_OP(Kind, ...) {ir::OpKind::k##Kind, &Lower##Kind},
#define ACCELD_CONTRACTION_OP(Kind, ...) {ir::OpKind::k##Kind, &Lower##Kind},
#include "common/ir/ops.def"
};

// Lowers a reduction fusion: reductions with their producers, a fusion of rows, or a single op of
// family Nest (the last op) with constants that it reads and values that its region captures. The
// fusion's operands are the nest op's operands, then the captured values.
absl::StatusOr<LoweredOp> LowerReductionFusion(const Computation& fusion) {
  const ir::Op* last = fusion.ops.empty() ? nullptr : fusion.ops.back();
  if (last == nullptr || last->kind == ir::OpKind::kReduce ||
      ir::FamilyOf(last->kind) != ir::OpFamily::kNest) {
    return IsRowFusion(fusion) ? LowerRows(fusion) : LowerReductions(fusion);
  }
  return kLowerings[last->kind](
      {fusion.function, *last, fusion.name, fusion.inputs, fusion.outputs, fusion.ops});
}

absl::StatusOr<LoweredOp> LowerFusion(const ir::Function& function, const ir::Op& op,
                                      const std::string& name) {
  const ir::Region& region = op.regions[0];
  Computation computation{function, op, name, region.parameters, region.results, {}};
  for (const ir::Op& inner : region.ops) computation.ops.push_back(&inner);
  switch (op.As<ir::FusionAttributes>().kind) {
    case ir::FusionKind::kLoop:
      return LowerLoops(computation);
    case ir::FusionKind::kReduction:
      return LowerReductionFusion(computation);
    case ir::FusionKind::kAttention:
      return absl::InternalError("the target has no kernel for this attention");
    case ir::FusionKind::kMatmul:
      return absl::InternalError("the target's library does not run this product");
  }
  return absl::InternalError("a fusion of no kind");
}

absl::Status CheckTypes(const ir::Function& function, const ir::Op& op) {
  for (const std::vector<ir::ValueId>* values : {&op.operands, &op.results}) {
    for (ir::ValueId value : *values) {
      const ir::Type& type = function.TypeOf(value);
      if (!type.IsTensor() || !type.tensor().IsStatic()) {
        return absl::UnimplementedError(
            absl::StrCat(ir::NameOf(op.kind), ": no kernel for ", type.ToString()));
      }
    }
  }
  return absl::OkStatus();
}

// Whether there is nothing to compute. Because such ops are not lowered, lowerings may assume that
// every extent of a result is positive.
bool HasOnlyEmptyResults(const ir::Function& function, const ir::Op& op) {
  return std::all_of(op.results.begin(), op.results.end(), [&](ir::ValueId result) {
    return function.TensorOf(result).num_elements() == 0;
  });
}

}  // namespace

absl::StatusOr<LoweredOp> Lower(const ir::Function& function, const ir::Op& op,
                                const std::string& name) {
  ACCELD_RETURN_IF_ERROR(CheckTypes(function, op));
  if (HasOnlyEmptyResults(function, op)) return LoweredOp();
  if (op.kind == ir::OpKind::kFusion) return LowerFusion(function, op, name);
  OpLowering lowering = kLowerings[op.kind];
  if (op.kind == ir::OpKind::kConstant) lowering = &LowerLoops;
  if (lowering == nullptr) {
    return absl::UnimplementedError(absl::StrCat(ir::NameOf(op.kind), " has no kernel"));
  }
  absl::StatusOr<LoweredOp> lowered = lowering(ComputationOf(function, op, name));
  if (!lowered.ok()) return Annotate(lowered.status(), ir::NameOf(op.kind));
  return lowered;
}

bool CanFuseAsProducer(const ir::Function&, const ir::Op& op) {
  if (op.kind == ir::OpKind::kConstant) {
    const ir::Literal& value = op.As<ir::ConstantAttributes>().value;
    return value.is_splat() || value.type().num_elements() == 1;
  }
  if (op.kind == ir::OpKind::kConcatenate && op.operands.size() > kMaxConcatenatedPieces) {
    return false;
  }
  const ir::OpFamily family = ir::FamilyOf(op.kind);
  return family == ir::OpFamily::kElementwise || family == ir::OpFamily::kIndexing;
}

bool CanFuseAsRoot(const ir::Function& function, const ir::Op& op) {
  return op.kind == ir::OpKind::kReduce ||
         (op.kind != ir::OpKind::kConstant && CanFuseAsProducer(function, op));
}

}  // namespace acceld::kernels
