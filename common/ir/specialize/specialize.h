#pragma once

#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "common/ir/module.h"
#include "common/status.h"

namespace acceld::ir {

// INVALID_ARGUMENT, with the index of the argument and both types, if the arguments do not fit the
// parameters of `entry`.
absl::Status CheckArguments(const Function& entry, absl::Span<const TensorType> argument_types);

// Returns `entry` for arguments of these types. This is the first stage of a compilation; a client
// uses it to know result types at once. The result has only the functions that `entry` calls,
// `entry` itself first and named "main", and all types are static. Types are inferred again,
// beginning with the arguments, which replaces dynamic dimensions by sizes. Sizes that the program
// computes are evaluated, and ops with such sizes as operands become static ops. A function that is
// called with several shapes or sizes becomes several functions. Assertions on shapes are checked
// and removed. INVALID_ARGUMENT for arguments that do not fit or fail an assertion, and for a shape
// that the arguments do not determine; RESOURCE_EXHAUSTED for more copies than
// limits::kMaxCopiedOps or MemoryBudget allow.
absl::StatusOr<Module> Specialize(const Module& module, absl::string_view entry,
                                  absl::Span<const TensorType> argument_types);

// Whether all declared result types are static, so that only the arguments need to be checked.
bool HasStaticResults(const Function& entry);

// Checks the arguments and returns the result types of `entry` for them, without compiling.
absl::StatusOr<std::vector<TensorType>> ResultTypesOf(const Module& module, absl::string_view entry,
                                                      absl::Span<const TensorType> argument_types);

}  // namespace acceld::ir
