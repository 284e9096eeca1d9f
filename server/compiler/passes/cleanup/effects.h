#pragma once

#include <string>

#include "absl/container/flat_hash_set.h"
#include "common/ir/module.h"

namespace acceld::compiler {

// Tells which ops of a module have side effects: custom calls with has_side_effect, and ops that
// contain or call such ops. Passes must not remove an op with side effects whose results are
// unused, merge it with an equal op, or change the order of such ops. Keeps no reference to the
// module. Immutable and therefore thread-safe.
class Effects {
 public:
  explicit Effects(const ir::Module& module);

  // Whether any op of the module has side effects.
  bool any() const { return any_; }
  // Whether the op has side effects. Takes time in proportion to the ops within its regions, unless
  // any() is false.
  bool Has(const ir::Op& op) const;

 private:
  bool Has(const ir::Region& region) const;

  bool any_ = false;
  absl::flat_hash_set<std::string> functions_;  // names of the functions with side effects
};

}  // namespace acceld::compiler
