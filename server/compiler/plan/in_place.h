#pragma once

#include <vector>

#include "common/ir/module.h"

namespace acceld::compiler {

// For each operand of an op: the one result that may be written over it while the op runs, because
// only that result reads the operand, and only at the element that it writes; -1 where there is
// none. Element sizes are equal.
std::vector<int> ReusableOperands(const ir::Function& function, const ir::Op& op);

}  // namespace acceld::compiler
