#pragma once

#include "common/ir/module.h"
#include "common/status.h"

namespace acceld::compiler {

// A value that a loop carries without changing it becomes a value from outside: it needs no place
// of its own, no copy, and passes behind this one see that it is the same in every turn.
absl::StatusOr<ir::Module> HoistInvariants(const ir::Module& module);

}  // namespace acceld::compiler
