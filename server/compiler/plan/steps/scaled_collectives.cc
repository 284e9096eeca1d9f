#include "server/compiler/plan/steps/scaled_collectives.h"

#include <algorithm>
#include <vector>

#include "absl/types/optional.h"
#include "kernels/ir/collective.h"
#include "server/compiler/fusion/splat.h"

namespace acceld::compiler {
namespace {

using ir::OpKind;

bool IsReduction(const ir::Op& op) {
  return op.kind == OpKind::kAllReduce || op.kind == OpKind::kReduceScatter;
}

// Returns the number by which the op multiplies its only operand, if it does only that.
absl::optional<double> FactorOf(const ir::Function& function, const ir::Op& op,
                                std::vector<OpIndex>& scratch) {
  if (op.kind != OpKind::kFusion || op.operands.size() != 1 || op.results.size() != 1 ||
      op.As<ir::FusionAttributes>().kind != ir::FusionKind::kLoop) {
    return absl::nullopt;
  }
  const ir::Region& body = op.regions[0];
  const ir::TensorType& type = function.TensorOf(op.results[0]);
  if (!kernels::CanScale(type.dtype) || function.TensorOf(op.operands[0]) != type) {
    return absl::nullopt;
  }
  const RegionGraph graph(function, body, scratch);
  const OpIndex last = graph.DefinitionOf(body.results[0]);
  if (last == kNoOp || body.ops[last].kind != OpKind::kMultiply) return absl::nullopt;
  const std::vector<ir::ValueId>& operands = body.ops[last].operands;
  const auto value = std::find(operands.begin(), operands.end(), body.parameters[0]);
  if (value == operands.end()) return absl::nullopt;
  std::vector<OpIndex> used;
  return SplatOf(graph, operands[value == operands.begin() ? 1 : 0], used);
}

}  // namespace

absl::flat_hash_map<OpIndex, CollectiveScale> FindScaledCollectives(const ir::Function& function,
                                                                    const ir::Region& region,
                                                                    std::vector<OpIndex>& scratch) {
  absl::flat_hash_map<OpIndex, CollectiveScale> scales;
  if (std::none_of(region.ops.begin(), region.ops.end(), IsReduction)) return scales;
  const RegionGraph graph(function, region, scratch);
  for (OpIndex i = 0; i < region.ops.size(); ++i) {
    const ir::Op& op = region.ops[i];
    if (!IsReduction(op) || op.results.size() != 1) continue;
    if (graph.Escapes(i) || graph.UsersOf(i).size() != 1) continue;
    const OpIndex user = graph.UsersOf(i)[0];
    const absl::optional<double> factor = FactorOf(function, region.ops[user], scratch);
    if (factor.has_value()) scales.emplace(i, CollectiveScale{user, *factor});
  }
  return scales;
}

}  // namespace acceld::compiler
