#pragma once

#include "common/ir/module.h"
#include "common/status.h"

namespace acceld::compiler {

// A pass for arrays that a loop fills row by row, like the outputs of a scan. Every row is written
// before it can be read, so the array needs no initial value: the pass makes the loop start with an
// uninitialized buffer (common/ir/calls/uninitialized.h) instead of a copy of zeros. It runs after
// the last pass that merges equal ops, because each such array needs a buffer of its own.
absl::StatusOr<ir::Module> ForgetInitials(const ir::Module& module);

}  // namespace acceld::compiler
