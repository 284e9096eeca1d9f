#include "server/compiler/plan/build_plan.h"

#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "server/compiler/plan/function_planner.h"

namespace acceld::compiler {

absl::StatusOr<kernels::Plan> BuildPlan(const ir::Module& module,
                                        const codegen::Target& generator) {
  kernels::Plan plan;
  plan.functions.emplace_back();
  PlanContext context{generator, module.grid, {}, {}, {}};
  absl::flat_hash_map<std::string, uint32_t> made;
  context.callee = [&](const std::string& name) -> absl::StatusOr<PlanContext::Callee> {
    const auto it = made.find(name);
    if (it != made.end())
      return PlanContext::Callee{it->second, plan.functions[it->second].arena_bytes};
    const ir::Function* function = module.Find(name);
    if (function == nullptr) return absl::InternalError(absl::StrCat("plan: no function @", name));
    absl::StatusOr<kernels::PlanFunction> planned = FunctionPlanner(*function, context).Run();
    if (!planned.ok()) return planned.status();
    const auto index = static_cast<uint32_t>(plan.functions.size());
    plan.functions.push_back(*std::move(planned));
    made[name] = index;
    return PlanContext::Callee{index, plan.functions[index].arena_bytes};
  };
  FunctionPlanner planner(module.functions[0], context);
  ACCELD_ASSIGN_OR_RETURN(plan.functions[0], planner.Run());
  plan.may_share = planner.FindInputOutputAliases();
  plan.kernels = context.kernels.Take();
  plan.constants = context.constants.Take();
  return plan;
}

}  // namespace acceld::compiler
