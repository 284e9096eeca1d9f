#pragma once

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "common/ir/module.h"
#include "common/status.h"

namespace acceld::compiler {

// Refuses arguments that do not fit the parameters of `entry`: INVALID_ARGUMENT that names the
// number of the argument and both types.
absl::Status CheckArguments(const ir::Function& entry,
                            absl::Span<const ir::TensorType> argument_types);

// The first stage: what `entry` is when called with these types. The result holds the functions
// reachable from it and nothing else, the entry first and named "main"; every type is static.
// Dynamic dimensions are refined by inferring types anew from the arguments on; a function called
// with several shapes becomes several functions. INVALID_ARGUMENT for arguments that do not fit and
// for a shape that the arguments do not determine.
absl::StatusOr<ir::Module> Specialize(const ir::Module& module, absl::string_view entry,
                                      absl::Span<const ir::TensorType> argument_types);

}  // namespace acceld::compiler
