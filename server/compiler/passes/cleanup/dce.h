#pragma once

#include "common/ir/module.h"
#include "common/status.h"

namespace acceld::compiler {

// Drops ops whose results nobody uses, and values that a loop carries only for themselves. Last of
// the simplifications: the others leave dead ops behind.
absl::StatusOr<ir::Module> EliminateDeadCode(const ir::Module& module);

}  // namespace acceld::compiler
