#pragma once

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "common/ir/module.h"
#include "common/ir/types/literal.h"

namespace acceld::ir {

// The values of one function that follow from the shapes of its arguments: small integers, which
// programs with dynamic shapes compute sizes with. Thread-compatible.
class KnownValues {
 public:
  // nullptr when the value is not known. Valid until the next change.
  const Literal* Find(ValueId id) const;
  void Set(ValueId id, Literal value);
  // Adds the result of `op` if it is small and made of integers, and its operands are known. The
  // types of operands and results in `function` must be static.
  void Evaluate(const Function& function, const Op& op);

 private:
  absl::flat_hash_map<ValueId, Literal> values_;
};

}  // namespace acceld::ir
