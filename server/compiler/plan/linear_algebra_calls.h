#pragma once

#include "common/ir/attributes/op_attributes.h"
#include "common/status.h"
#include "kernels/ir/routine.h"

namespace acceld::compiler {

// Recognizes the custom calls that JAX makes of its linear algebra: "lapack_<type><name>_ffi" where
// it lowers for the CPU, "cusolver_<name>_ffi" and "hipsolver_<name>_ffi" where for a GPU. Their
// matrices are column-major in the caller's eyes, which layouts say; as values they are matrices as
// any. Fills in routine and parameters of `call`, whose operands and results are given. False when
// the target is none of these; INVALID_ARGUMENT or UNIMPLEMENTED when an attribute is missing or
// has a value that no routine has. The types are not looked at, but for the element type.
absl::StatusOr<bool> MatchLinearAlgebraCall(const ir::CustomCallAttributes& attributes,
                                            kernels::RoutineCall& call);

}  // namespace acceld::compiler
