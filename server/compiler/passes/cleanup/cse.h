#pragma once

#include "common/ir/module.h"
#include "common/status.h"

namespace acceld::compiler {

// Keeps one of several ops that compute the same from the same, in their region or an outer one.
// After simplification, which makes equal things look equal.
absl::StatusOr<ir::Module> EliminateCommonSubexpressions(const ir::Module& module);

}  // namespace acceld::compiler
