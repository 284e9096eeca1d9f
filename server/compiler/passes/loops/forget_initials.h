#pragma once

#include "common/ir/module.h"
#include "common/status.h"

namespace acceld::compiler {

// An array that a loop fills row by row, as scans do with their outputs, needs no initial value:
// every row is written before anyone reads it. The loop then starts from a place that is not
// written (ir/unwritten.h) instead of a copy of zeros. After the last pass that merges equal ops:
// each such array has a place of its own.
absl::StatusOr<ir::Module> ForgetInitials(const ir::Module& module);

}  // namespace acceld::compiler
