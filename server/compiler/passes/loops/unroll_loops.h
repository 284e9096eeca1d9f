#pragma once

#include "common/ir/module.h"
#include "common/status.h"

namespace acceld::compiler {

// Replaces a while that counts from one constant up to another, a few steps of a short elementwise
// body (the rounds of a random generator), by its steps. What was a pass over every carried array
// for each step becomes code that fuses with what stands around it, with the step's own constants.
// Before constants are folded.
absl::StatusOr<ir::Module> UnrollLoops(const ir::Module& module);

}  // namespace acceld::compiler
