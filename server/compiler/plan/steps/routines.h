#pragma once

#include "absl/types/optional.h"
#include "common/ir/module.h"
#include "common/status.h"
#include "kernels/ir/routine.h"

namespace acceld::compiler {

// If the op is a call of a routine (cholesky, fft, triangular_solve, or a custom_call of linear
// algebra, linear_algebra_calls.h), returns the call; nullopt for other ops. Returns
// INVALID_ARGUMENT or UNIMPLEMENTED, with the name of the op, if no routine supports its types or
// attributes.
absl::StatusOr<absl::optional<kernels::RoutineCall>> MatchRoutine(const ir::Function& function,
                                                                  const ir::Op& op);

}  // namespace acceld::compiler
