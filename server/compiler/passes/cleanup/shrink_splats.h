#pragma once

#include "common/ir/module.h"
#include "common/status.h"

namespace acceld::compiler {

// A pass that replaces a large constant with one repeated element by a broadcast of a scalar, so
// that it becomes part of a loop instead of megabytes of constants. It runs after constant folding,
// which makes such constants, and before fusion, which fuses the broadcasts.
absl::StatusOr<ir::Module> ShrinkSplats(const ir::Module& module);

}  // namespace acceld::compiler
