#pragma once

#include <cstddef>

#include "common/ir/module.h"

namespace acceld::compiler {

// A hash of everything that SameComputation compares.
size_t HashComputation(const ir::Function& function, const ir::Op& op);

// Whether two ops of one function compute the same: kind, attributes, operands, result types, and
// regions up to the numbering of their own values. Locations do not count.
bool SameComputation(const ir::Function& function, const ir::Op& a, const ir::Op& b);

}  // namespace acceld::compiler
