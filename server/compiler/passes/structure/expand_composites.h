#pragma once

#include "common/ir/module.h"
#include "common/status.h"

namespace acceld::compiler {

// Turns every composite into a call of its decomposition, which says what it means. First, so that
// nothing later needs to know composites.
absl::StatusOr<ir::Module> ExpandComposites(const ir::Module& module);

}  // namespace acceld::compiler
