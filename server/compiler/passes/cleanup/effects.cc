#include "server/compiler/passes/cleanup/effects.h"

#include <algorithm>

#include "common/ir/calls/call_graph.h"
#include "server/compiler/passes/rewriter.h"

namespace acceld::compiler {
namespace {

bool HasItself(const ir::Op& op) {
  return op.kind == ir::OpKind::kCustomCall && op.As<ir::CustomCallAttributes>().has_side_effect;
}

}  // namespace

Effects::Effects(const ir::Module& module) {
  for (const ir::Function& function : module.functions) {
    ForEachOp(function.body, [this](const ir::Op& op) { any_ |= HasItself(op); });
  }
  // Each iteration finds the callers of the functions that the previous one found.
  for (bool changed = any_; changed;) {
    changed = false;
    for (const ir::Function& function : module.functions) {
      if (functions_.contains(function.name) || !Has(function.body)) continue;
      functions_.insert(function.name);
      changed = true;
    }
  }
}

bool Effects::Has(const ir::Op& op) const {
  if (!any_) return false;
  if (HasItself(op)) return true;
  const std::string* const callee = ir::CalleeOf(op);
  if (callee != nullptr && functions_.contains(*callee)) return true;
  return std::any_of(op.regions.begin(), op.regions.end(),
                     [this](const ir::Region& region) { return Has(region); });
}

bool Effects::Has(const ir::Region& region) const {
  return std::any_of(region.ops.begin(), region.ops.end(),
                     [this](const ir::Op& op) { return Has(op); });
}

}  // namespace acceld::compiler
