#include "common/ir/transform/composites/composite_rule.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "common/ir/transform/composites/custom_rules.h"
#include "common/ir/transform/composites/select_and_gather.h"

namespace acceld::ir {
namespace {

constexpr CompositeRule ChloFunction(absl::string_view name) {
  return {.name = name, .derive = DeriveChloFunction, .batch = BatchChloFunction};
}

// Sorted by name.
constexpr CompositeRule kRules[] = {
    {.name = kCheckpoint, .derive = DeriveCheckpoint, .batch = BatchCheckpoint},
    {.name = kCustomJvp, .derive = DeriveCustomJvp, .batch = BatchCustomJvp},
    {.name = kCustomVjp, .derive = DeriveCustomVjp, .batch = BatchCustomVjp},
    {.name = kSelectAndGather,
     .derive = DeriveSelectAndGather,
     .transpose = TransposeSelectAndGather},
    {.name = kStopGradient, .derive = DeriveStopGradient, .batch = BatchStopGradient},
    ChloFunction("chlo.acos"),
    ChloFunction("chlo.acosh"),
    ChloFunction("chlo.asin"),
    ChloFunction("chlo.asinh"),
    ChloFunction("chlo.atan"),
    ChloFunction("chlo.atanh"),
    ChloFunction("chlo.cosh"),
    ChloFunction("chlo.digamma"),
    ChloFunction("chlo.erf"),
    ChloFunction("chlo.erf_inv"),
    ChloFunction("chlo.erfc"),
    ChloFunction("chlo.lgamma"),
    ChloFunction("chlo.next_after"),
    ChloFunction("chlo.polygamma"),
    ChloFunction("chlo.sinh"),
    ChloFunction("chlo.zeta"),
};

}  // namespace

const CompositeRule* FindCompositeRule(absl::string_view name) {
  const CompositeRule* found = std::lower_bound(
      std::begin(kRules), std::end(kRules), name,
      [](const CompositeRule& rule, absl::string_view n) { return rule.name < n; });
  return found != std::end(kRules) && found->name == name ? found : nullptr;
}

std::vector<ValueId> AddCall(const Module& module, FunctionBuilder& builder,
                             const std::string& callee, std::vector<ValueId> arguments,
                             Location location) {
  const std::vector<Type> types = module.Find(callee)->ResultTypes();
  return builder.AddUnchecked(OpKind::kCall, std::move(arguments), CallAttributes{{callee}}, {},
                              types, location);
}

std::vector<ValueId> AddComposite(const Module& module, FunctionBuilder& builder,
                                  CompositeAttributes attributes, std::vector<ValueId> operands,
                                  Location location) {
  const std::vector<Type> types = module.Find(attributes.decomposition.name)->ResultTypes();
  return builder.AddUnchecked(OpKind::kComposite, std::move(operands), std::move(attributes), {},
                              types, location);
}

}  // namespace acceld::ir
