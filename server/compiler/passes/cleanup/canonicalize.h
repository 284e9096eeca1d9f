#pragma once

#include "common/ir/module.h"
#include "common/status.h"

namespace acceld::compiler {

// Brings equal meanings to one form and drops what does nothing: tuples, optimization barriers,
// hints in the form of custom calls, data movement that moves nothing, chains of reshapes,
// transposes and broadcasts, branches whose index is known. Runs again after constant folding,
// which makes more of them.
absl::StatusOr<ir::Module> Canonicalize(const ir::Module& module);

}  // namespace acceld::compiler
