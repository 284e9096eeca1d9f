#pragma once

#include <cstddef>

#include "common/ir/module.h"

namespace acceld::compiler {

// Returns the op that computes result `i` of a reducer from just its accumulator and element `i`
// (parameters i and n + i of a reducer with n results); nullptr if there is none.
const ir::Op* OperationOfResult(const ir::Region& reducer, size_t i);

}  // namespace acceld::compiler
