#include "server/compiler/passes/cleanup/canonicalize.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/types/optional.h"
#include "common/ir/calls/sharding_targets.h"
#include "server/compiler/passes/cleanup/movement.h"
#include "server/compiler/passes/rewriter.h"

namespace acceld::compiler {
namespace {

using ir::OpKind;

// The value of a constant scalar integer or predicate.
absl::optional<int64_t> ScalarOf(const Rewriter& rewriter, ir::ValueId id) {
  const ir::Literal* value = rewriter.ConstantOf(id);
  if (value == nullptr || ir::IsFloat(value->type().dtype) || ir::IsComplex(value->type().dtype) ||
      (!value->is_splat() && value->type().num_elements() != 1)) {
    return absl::nullopt;
  }
  return ir::ReadInt(value->type().dtype, value->bytes().data(), 0);
}

bool TakeBranch(Rewriter& rewriter, ir::Op& op, size_t branch) {
  // The ops of the branch have been rewritten already, so they are appended as they are.
  ir::Region& region = op.regions[branch];
  for (ir::Op& inner : region.ops) rewriter.Append(std::move(inner));
  rewriter.Replace(op.results, region.results);
  return true;
}

bool VisitCustomCall(Rewriter& rewriter, ir::Op& op) {
  if (!ir::IsPlacementTarget(op.As<ir::CustomCallAttributes>().call_target_name)) return false;
  if (op.operands.size() != op.results.size()) return false;
  for (size_t i = 0; i < op.operands.size(); ++i) {
    if (rewriter.TypeOf(op.operands[i]) != rewriter.TypeOf(op.results[i])) return false;
  }
  rewriter.Replace(op.results, op.operands);
  return true;
}

bool VisitCase(Rewriter& rewriter, ir::Op& op) {
  const auto last = static_cast<int64_t>(op.regions.size()) - 1;
  if (last == 0) return TakeBranch(rewriter, op, 0);
  const absl::optional<int64_t> index = ScalarOf(rewriter, op.operands[0]);
  return index.has_value() && TakeBranch(rewriter, op, *index < 0 || *index > last ? last : *index);
}

// A barrier keeps values from being merged with others that are computed again from its results. A
// constant has nothing to compute, and is better known.
bool VisitBarrier(Rewriter& rewriter, ir::Op& op) {
  std::vector<ir::ValueId> operands, results;
  for (size_t i = 0; i < op.operands.size(); ++i) {
    if (rewriter.ConstantOf(op.operands[i]) != nullptr) {
      rewriter.Replace(op.results[i], op.operands[i]);
    } else {
      operands.push_back(op.operands[i]);
      results.push_back(op.results[i]);
    }
  }
  op.operands = std::move(operands);
  op.results = std::move(results);
  return op.operands.empty();
}

bool VisitStructure(Rewriter& rewriter, ir::Op& op) {
  if (op.kind == OpKind::kOptimizationBarrier) return VisitBarrier(rewriter, op);
  if (op.kind == OpKind::kGetTupleElement) {
    const ir::Op* tuple = rewriter.DefinitionOf(op.operands[0]);
    if (tuple == nullptr || tuple->kind != OpKind::kTuple) return false;
    rewriter.Replace(op.results[0], tuple->operands[op.As<ir::IndexAttributes>().index]);
    return true;
  }
  if (op.kind == OpKind::kCustomCall) return VisitCustomCall(rewriter, op);
  if (op.kind == OpKind::kCase) return VisitCase(rewriter, op);
  if (op.kind == OpKind::kIf) {
    const absl::optional<int64_t> predicate = ScalarOf(rewriter, op.operands[0]);
    return predicate.has_value() && TakeBranch(rewriter, op, *predicate != 0 ? 0 : 1);
  }
  if (op.kind == OpKind::kWhile) {
    const absl::optional<int64_t> goes_on = ScalarOf(rewriter, op.regions[0].results[0]);
    if (!goes_on.has_value() || *goes_on != 0) return false;
    rewriter.Replace(op.results, op.operands);
    return true;
  }
  return false;
}

}  // namespace

absl::StatusOr<ir::Module> Canonicalize(const ir::Module& module) {
  return RewriteEach(module, [](Rewriter& rewriter, ir::Op& op) -> absl::StatusOr<bool> {
    switch (ir::FamilyOf(op.kind)) {
      case ir::OpFamily::kStructure:
        return VisitStructure(rewriter, op);
      case ir::OpFamily::kElementwise:
      case ir::OpFamily::kIndexing:
      case ir::OpFamily::kNest:
        return SimplifyMovement(rewriter, op);
      case ir::OpFamily::kContraction:
      case ir::OpFamily::kRoutine:
      case ir::OpFamily::kDerived:
      case ir::OpFamily::kDynamic:
      case ir::OpFamily::kCollective:
      case ir::OpFamily::kSharding:
        return false;
    }
    return false;
  });
}

}  // namespace acceld::compiler
