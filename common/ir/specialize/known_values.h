#pragma once

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "common/ir/module.h"
#include "common/ir/types/literal.h"

namespace acceld::ir {

// The values of one function that are known from the shapes of its arguments: small tensors of
// integers, with which programs with dynamic shapes compute sizes. Thread-compatible.
class KnownValues {
 public:
  // Returns nullptr if the value is unknown. The pointer is valid until the next change.
  const Literal* Find(ValueId id) const;
  void Set(ValueId id, Literal value);
  // Evaluates `op` and adds its result, if the result is small and consists of integers and the
  // operands are known. The types of operands and results in `function` must be static.
  void Evaluate(const Function& function, const Op& op);

 private:
  absl::flat_hash_map<ValueId, Literal> values_;
};

}  // namespace acceld::ir
