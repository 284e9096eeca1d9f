#pragma once

#include <cstdint>

#include "common/ir/module.h"

namespace acceld::compiler {

// Returns the cost of computing one element of the op's result once more, in units of one addition:
// 0 for index arithmetic and conversions, 1 for simple arithmetic, more for divisions and
// transcendental functions, 1000 for ops that must not be repeated.
int64_t CostOf(const ir::Function& function, const ir::Op& op);

// Whether the op is elementwise: an element of its result depends only on the elements at the same
// index of its operands, and on operands that are scalars.
bool IsPointwise(const ir::Op& op);

// Whether the op is a constant that lowering writes into the code: one element, however often it is
// repeated.
bool IsInlineConstant(const ir::Op& op);

}  // namespace acceld::compiler
