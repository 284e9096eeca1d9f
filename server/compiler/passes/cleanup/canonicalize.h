#pragma once

#include "common/ir/module.h"
#include "common/status.h"

namespace acceld::compiler {

// A pass that brings ops with the same meaning to one form and removes ops that do nothing. It
// removes tuples, optimization barriers of constants, custom calls that are only hints, and data
// movement that moves nothing; composes chains of reshapes, transposes and broadcasts; and replaces
// branches with a known index by the branch taken. It runs again after constant folding, which
// makes more branches and loops known.
absl::StatusOr<ir::Module> Canonicalize(const ir::Module& module);

}  // namespace acceld::compiler
