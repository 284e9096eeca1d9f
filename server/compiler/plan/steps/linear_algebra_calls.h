#pragma once

#include "common/ir/attributes/op_attributes.h"
#include "common/status.h"
#include "kernels/ir/routine.h"

namespace acceld::compiler {

// Recognizes the custom calls to which JAX lowers its linear algebra: "lapack_<type><name>_ffi" for
// the CPU, "cusolver_<name>_ffi" and "hipsolver_<name>_ffi" for GPUs. On return `call`, whose
// operands and results the caller has set, has the routine and its parameters. The layouts of the
// custom call, which declare matrices as column-major, do not matter here, because they do not
// change the values.
//
// Returns false if the target is none of these. Returns INVALID_ARGUMENT or UNIMPLEMENTED if an
// attribute is missing or has a value that no routine supports. Does not check types, except the
// element type of the first operand.
absl::StatusOr<bool> MatchLinearAlgebraCall(const ir::CustomCallAttributes& attributes,
                                            kernels::RoutineCall& call);

}  // namespace acceld::compiler
