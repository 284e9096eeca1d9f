#pragma once

#include <cstddef>

#include "common/ir/module.h"

namespace acceld::compiler {

// Returns a hash of the op. Ops that are equal by SameComputation have equal hashes.
size_t HashComputation(const ir::Function& function, const ir::Op& op);

// Whether two ops of `function` compute the same: they have equal kinds, attributes, operands,
// result types and regions. Values that are defined inside the regions may have different ids.
// Source locations are ignored.
bool SameComputation(const ir::Function& function, const ir::Op& a, const ir::Op& b);

}  // namespace acceld::compiler
