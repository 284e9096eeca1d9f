#pragma once

#include "absl/types/optional.h"
#include "common/ir/module.h"
#include "common/status.h"
#include "kernels/ir/routine.h"

namespace acceld::compiler {

// The call of a routine that the op is: cholesky, fft, triangular_solve, or a custom_call of linear
// algebra (linear_algebra_calls.h); nullopt for other ops. INVALID_ARGUMENT and UNIMPLEMENTED, with
// the op's line, for such a custom_call whose types or attributes no routine has.
absl::StatusOr<absl::optional<kernels::RoutineCall>> MatchRoutine(const ir::Function& function,
                                                                  const ir::Op& op);

}  // namespace acceld::compiler
