#include "server/compiler/passes/cleanup/dce.h"

#include <utility>
#include <vector>

#include "server/compiler/passes/cleanup/effects.h"
#include "server/compiler/passes/rewriter.h"

namespace acceld::compiler {
namespace {

class Sweeper {
 public:
  Sweeper(const ir::Function& function, const Effects& effects)
      : effects_(effects), live_(function.value_types.size()) {}

  // Removes the unused ops of a region, from the last to the first, and marks the values that the
  // remaining ops use as live.
  void Sweep(ir::Region& region) {
    for (ir::ValueId id : region.results) live_[id] = true;
    std::vector<ir::Op> kept;
    for (size_t i = region.ops.size(); i-- > 0;) {
      ir::Op& op = region.ops[i];
      if (!IsNeeded(op)) continue;
      if (op.kind == ir::OpKind::kWhile) DropDeadCarries(op);
      for (ir::Region& inner : op.regions) Sweep(inner);
      for (ir::ValueId id : op.operands) live_[id] = true;
      kept.push_back(std::move(op));
    }
    region.ops.assign(std::make_move_iterator(kept.rbegin()), std::make_move_iterator(kept.rend()));
  }

 private:
  bool IsNeeded(const ir::Op& op) const {
    if (effects_.Has(op)) return true;
    for (ir::ValueId id : op.results) {
      if (live_[id]) return true;
    }
    return false;
  }

  // Marks the values that `region` needs to compute its live values. Removes nothing.
  void Mark(const ir::Region& region) {
    for (size_t i = region.ops.size(); i-- > 0;) {
      const ir::Op& op = region.ops[i];
      if (!IsNeeded(op)) continue;
      for (ir::ValueId id : op.operands) live_[id] = true;
      for (const ir::Region& inner : op.regions) {
        for (ir::ValueId id : inner.results) live_[id] = true;
        Mark(inner);
      }
    }
  }

  // Removes carried values of a loop. A carried value stays if its result is used, if the condition
  // reads it, or if the next value of one that stays is computed from it.
  void DropDeadCarries(ir::Op& op) {
    ir::Region& condition = op.regions[0];
    ir::Region& body = op.regions[1];
    const size_t n = op.operands.size();
    for (ir::ValueId id : condition.results) live_[id] = true;
    Mark(condition);
    if (effects_.any()) Mark(body);
    std::vector<bool> keep(n);
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t i = 0; i < n; ++i) {
        if (keep[i] || !(live_[op.results[i]] || live_[condition.parameters[i]] ||
                         live_[body.parameters[i]])) {
          continue;
        }
        keep[i] = changed = true;
        live_[body.results[i]] = true;
      }
      if (changed) Mark(body);
    }
    const auto filter = [&](std::vector<ir::ValueId>& ids) {
      size_t to = 0;
      for (size_t i = 0; i < n; ++i) {
        if (keep[i]) ids[to++] = ids[i];
      }
      ids.resize(to);
    };
    filter(op.operands);
    filter(op.results);
    filter(condition.parameters);
    filter(body.parameters);
    filter(body.results);
  }

  const Effects& effects_;
  std::vector<bool> live_;
};

}  // namespace

absl::StatusOr<ir::Module> EliminateDeadCode(const ir::Module& module) {
  ir::Module out = module;
  const Effects effects(module);
  for (ir::Function& function : out.functions) {
    Sweeper(function, effects).Sweep(function.body);
    function = Renumber(std::move(function));
  }
  return out;
}

}  // namespace acceld::compiler
