#include <algorithm>

#include "server/compiler/spmd/rules/rules.h"

// Collectives inside of manual computations, which can be divided along axes that are not manual.
namespace acceld::compiler::spmd {
namespace {

// Keeps the dimensions of each operand, which its result has too, but for the `exchanged` ones.
void KeepOthers(const RuleContext& context, const std::vector<int64_t>& exchanged) {
  for (size_t i = 0; i < context.op.results.size(); ++i) {
    for (int64_t d = 0; d < context.result(i).rank(); ++d) {
      if (std::find(exchanged.begin(), exchanged.end(), d) != exchanged.end()) continue;
      const auto at = static_cast<size_t>(d);
      const int factor = context.rule.Add(context.result(i).dims[at]);
      context.rule.operands[i][at] = {factor};
      context.rule.results[i][at] = {factor};
    }
  }
}

}  // namespace

void AllGatherFactors(const RuleContext& context) {
  KeepOthers(context, {context.As<ir::AllGatherAttributes>().all_gather_dim});
}

void AllReduceFactors(const RuleContext& context) { KeepOthers(context, {}); }

void AllToAllFactors(const RuleContext& context) {
  const auto& attributes = context.As<ir::AllToAllAttributes>();
  KeepOthers(context, {attributes.split_dimension, attributes.concat_dimension});
}

void CollectiveBroadcastFactors(const RuleContext& context) { KeepOthers(context, {}); }

void CollectivePermuteFactors(const RuleContext& context) { KeepOthers(context, {}); }

void CollectiveReduceFactors(const RuleContext& context) { KeepOthers(context, {}); }

void PartitionIdFactors(const RuleContext&) {}

void ReduceScatterFactors(const RuleContext& context) {
  KeepOthers(context, {context.As<ir::ReduceScatterAttributes>().scatter_dimension});
}

void ReplicaIdFactors(const RuleContext&) {}

}  // namespace acceld::compiler::spmd
