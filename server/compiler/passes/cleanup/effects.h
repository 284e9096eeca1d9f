#pragma once

#include <string>

#include "absl/container/flat_hash_set.h"
#include "common/ir/module.h"

namespace acceld::compiler {

// Which ops of a module do something besides giving their results: custom calls that say so, and
// what holds or calls such ops. They stay though nobody needs their results, are never made one
// with an equal op, and keep their order. Immutable, so thread-safe.
class Effects {
 public:
  explicit Effects(const ir::Module& module);

  // Whether any op of the module has effects.
  bool any() const { return any_; }
  // Walks the regions of the op, if the module has effects at all.
  bool Has(const ir::Op& op) const;

 private:
  bool Has(const ir::Region& region) const;

  bool any_ = false;
  absl::flat_hash_set<std::string> functions_;  // that have them
};

}  // namespace acceld::compiler
