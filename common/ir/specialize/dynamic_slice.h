#pragma once

#include <vector>

#include "common/ir/module.h"

namespace acceld::ir {

// A real_dynamic_slice whose start is known only at run time, but whose size and strides are known,
// is a dynamic_slice: appends that to `ops`, with what takes its start indices apart, and turns
// `op` into it. `sizes` has the difference of limit and start for each dimension; strides are 1.
// New values are added to `function`; types of operands must be static.
void WriteAsDynamicSlice(std::vector<int64_t> sizes, Op& op, Function& function,
                         std::vector<Op>& ops);

}  // namespace acceld::ir
