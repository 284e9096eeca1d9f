#pragma once

#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "common/ir/module.h"
#include "common/status.h"

namespace acceld::compiler {

// Returns the entry of a program for several processes as ir::Specialize does, for the types of
// whole arguments that the program itself declares. UNIMPLEMENTED if these are dynamic.
absl::StatusOr<ir::Module> SpecializeForProcesses(const ir::Module& module,
                                                  absl::string_view entry);

// INVALID_ARGUMENT, with both types, if the arguments given to one process do not have the types
// that its code takes. The last one is the number of the process.
absl::Status CheckProcessArguments(absl::Span<const ir::TensorType> expected,
                                   absl::Span<const ir::TensorType> given);

}  // namespace acceld::compiler
