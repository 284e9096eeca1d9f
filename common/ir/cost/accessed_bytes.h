#pragma once

#include "common/ir/module.h"

namespace acceld::ir {

// The bytes that an op reads of its operands and writes of its results. Ops that look at a part of
// an operand read that part: a slice as many bytes as it has, a scatter what it updates. Ops that
// only arrange values (constants, tuples, tokens, barriers) access nothing. For all but calls,
// loops and branches.
double AccessedBytesOf(const Function& function, const Op& op);

}  // namespace acceld::ir
