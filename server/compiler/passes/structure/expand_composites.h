#pragma once

#include "common/ir/module.h"
#include "common/status.h"

namespace acceld::compiler {

// A pass that replaces every composite op by a call of its decomposition, the function that defines
// its meaning. It runs first, so that no other pass has to handle composites.
absl::StatusOr<ir::Module> ExpandComposites(const ir::Module& module);

}  // namespace acceld::compiler
