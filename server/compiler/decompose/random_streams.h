#pragma once

#include "common/ir/module.h"
#include "common/status.h"

namespace acceld::compiler {

// Gives each `rng` op a fourth operand: a ui64 scalar, another one for each time that an rng op
// runs within one execution. It is a hash of constants and of counters, which loops with random
// numbers in them carry along; functions with random numbers in them take one more parameter. Only
// for the step that writes rng as other ops: the verifier knows no such rng. The entry is the
// module's first function. UNIMPLEMENTED for rng in the region of a reduction, a sort or the like.
absl::StatusOr<ir::Module> GiveRandomStreams(ir::Module module);

}  // namespace acceld::compiler
