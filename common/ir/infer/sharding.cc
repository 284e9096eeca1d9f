#include "common/ir/infer/rules.h"

// Rules of ops that say how values are distributed. Shardings are checked against the meshes of the
// module, which a rule does not know, in processes/verify_processes.h.
namespace acceld::ir {

InferResult InferManualComputation(const InferContext& context) {
  const auto& attributes = context.As<ManualComputationAttributes>();
  const InferContext::RegionSignature& region = context.regions[0];
  if (attributes.in_shardings.size() != context.operands.size() ||
      region.parameters.size() != context.operands.size()) {
    return Refuse(context.operands.size(), " operands, ", attributes.in_shardings.size(),
                  " in_shardings and ", region.parameters.size(),
                  " parameters of its region, which must be as many");
  }
  if (attributes.out_shardings.size() != region.results.size() ||
      context.declared.size() != region.results.size()) {
    return Refuse(context.declared.size(), " results, ", attributes.out_shardings.size(),
                  " out_shardings and ", region.results.size(),
                  " results of its region, which must be as many");
  }
  for (const auto& types : {context.operands, context.declared}) {
    for (const Type& type : types) {
      if (type.IsTensor() || type.kind() == Type::Kind::kToken) continue;
      return Refuse("it takes and gives tensors and tokens, not a ", type.ToString());
    }
  }
  return std::vector<Type>(context.declared.begin(), context.declared.end());
}

InferResult InferShardingConstraint(const InferContext& context) {
  return std::vector<Type>{context.operands[0]};
}

InferResult InferShardingGroup(const InferContext&) { return std::vector<Type>(); }

}  // namespace acceld::ir
