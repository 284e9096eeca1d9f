#pragma once

#include <cstdint>

#include "common/ir/module.h"

namespace acceld::compiler {

// What computing one element of an op costs again, in additions: 0 for what is only an index or a
// register, 1 for simple arithmetic, more for divisions and transcendental functions.
int64_t CostOf(const ir::Function& function, const ir::Op& op);

// Whether the op reads each operand at the index of its own element.
bool IsPointwise(const ir::Op& op);

// A constant that lowering writes into the code: one element, however often repeated.
bool IsInlineConstant(const ir::Op& op);

}  // namespace acceld::compiler
