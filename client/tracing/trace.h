#pragma once

#include <string>

#include "absl/types/span.h"
#include "client/host_callbacks.h"
#include "client/program.h"
#include "client/tracing/tree_function.h"
#include "common/status.h"

namespace acceld::client {

// Traces `function` with symbolic arguments of these types and returns the program. The first error
// of an operation in it becomes the status. Exceptions of `function` propagate. `callbacks`
// receives the callbacks that the program calls by CallHost, for ExecuteOptions::callbacks; if it
// is nullptr, a function that calls CallHost is INVALID_ARGUMENT.
absl::StatusOr<Program> Trace(const std::string& name, const TracedFunction& function,
                              absl::Span<const ir::TensorType> arguments,
                              HostCallbacks* callbacks = nullptr);

}  // namespace acceld::client
