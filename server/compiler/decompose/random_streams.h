#pragma once

#include "common/ir/module.h"
#include "common/status.h"

namespace acceld::compiler {

// Gives each `rng` op a fourth operand, the key of its random stream: a ui64 scalar that differs
// for every time that any rng op runs within one execution. The key is a hash of constants and
// iteration numbers. For that, each loop that draws random numbers carries its iteration number as
// one more value, and each function that draws random numbers, itself or through calls, takes the
// key of its caller as one more parameter, except the entry, which is the module's first function.
//
// The result does not pass the verifier, because an rng op has three operands: Decompose replaces
// all rng ops right afterwards. Returns UNIMPLEMENTED for an rng op in the region of an op other
// than while, case and if (for instance a reduction or a sort).
absl::StatusOr<ir::Module> AddRandomStreamKeys(ir::Module module);

}  // namespace acceld::compiler
