#pragma once

#include "common/ir/module.h"

namespace acceld::ir {

// Returns how many bytes an op reads of its operands and writes of its results. Ops that access a
// part of an operand count that part: a slice as many bytes as its result has, a scatter those that
// it updates. Ops that only arrange values (constants, tuples, tokens, barriers) count nothing. Not
// for calls, loops and branches.
double AccessedBytesOf(const Function& function, const Op& op);

}  // namespace acceld::ir
