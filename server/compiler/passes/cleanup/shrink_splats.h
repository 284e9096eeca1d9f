#pragma once

#include "common/ir/module.h"
#include "common/status.h"

namespace acceld::compiler {

// Writes a large constant with one repeated element as a broadcast of a scalar, so that it becomes
// part of a loop instead of megabytes of constants. After folding, which makes splats; before
// fusion, which takes the broadcast in.
absl::StatusOr<ir::Module> ShrinkSplats(const ir::Module& module);

}  // namespace acceld::compiler
