#pragma once

#include "common/ir/module.h"
#include "common/status.h"

namespace acceld::compiler {

// A pass that removes loop-carried values that never change: the loop uses the initial value, which
// is defined outside, instead. Such a value needs neither a buffer of its own nor a copy, and later
// passes see that it is the same in every iteration.
absl::StatusOr<ir::Module> HoistInvariants(const ir::Module& module);

}  // namespace acceld::compiler
