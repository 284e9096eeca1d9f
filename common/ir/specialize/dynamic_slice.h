#pragma once

#include <vector>

#include "common/ir/module.h"

namespace acceld::ir {

// Converts a real_dynamic_slice to a dynamic_slice, for a start that is known only at run time
// while the size is known and all strides are 1. Replaces `op`, and appends to `ops` the ops that
// split its start into scalars. `sizes` has the difference of limit and start for each dimension.
// New values are added to `function`. The types of the operands must be static.
void WriteAsDynamicSlice(std::vector<int64_t> sizes, Op& op, Function& function,
                         std::vector<Op>& ops);

}  // namespace acceld::ir
