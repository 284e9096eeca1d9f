#pragma once

#include "common/ir/module.h"
#include "common/status.h"

namespace acceld::compiler {

// A pass that removes ops without side effects whose results have no users, and loop-carried values
// that only serve to compute their own next value. It runs after the simplifications, which leave
// unused ops behind.
absl::StatusOr<ir::Module> EliminateDeadCode(const ir::Module& module);

}  // namespace acceld::compiler
