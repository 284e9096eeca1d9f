#pragma once

#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "common/ir/module.h"
#include "common/status.h"

namespace acceld::ir {

// Refuses arguments that do not fit the parameters of `entry`: INVALID_ARGUMENT that names the
// number of the argument and both types.
absl::Status CheckArguments(const Function& entry, absl::Span<const TensorType> argument_types);

// The first stage of a compile, and how a client knows result types at once: what `entry` is when
// called with these types. The result holds the functions reachable from it and nothing else, the
// entry first and named "main"; every type is static. Dynamic dimensions are refined by inferring
// types anew from the arguments on; sizes that the program computes are evaluated, and ops that
// take them become their static kin; a function called with several shapes or sizes becomes several
// functions. Assertions on shapes are checked and dropped. INVALID_ARGUMENT for arguments that do
// not fit or fail an assertion, and for a shape that the arguments do not determine;
// RESOURCE_EXHAUSTED for more copies than limits::kMaxCopiedOps or than memory_budget.h grants.
absl::StatusOr<Module> Specialize(const Module& module, absl::string_view entry,
                                  absl::Span<const TensorType> argument_types);

// Whether the program declares its result types in full, so that arguments need only be checked.
bool HasStaticResults(const Function& entry);

// Result types of `entry` on these arguments, without compiling; also the argument check.
absl::StatusOr<std::vector<TensorType>> ResultTypesOf(const Module& module, absl::string_view entry,
                                                      absl::Span<const TensorType> argument_types);

}  // namespace acceld::ir
