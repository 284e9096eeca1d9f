#pragma once

#include <cstdint>
#include <string>

#include "absl/types/span.h"
#include "common/status.h"
#include "server/engine/session/session_types.h"

// What the executions of a session have in common.
namespace acceld::engine {

// Returns how much an execution counts in the quota of queued executions.
int64_t QueueEntriesFor(absl::Span<const Handle> inputs, absl::Span<const Handle> outputs);

// Checks the list of donated inputs, independently of the arrays that the handles name.
absl::Status CheckDonatedInputs(absl::Span<const Handle> inputs,
                                absl::Span<const uint32_t> donated);

// INVALID_ARGUMENT unless there is a handle for each result of the program.
absl::Status CheckOutputCount(const std::string& name, size_t results, size_t handles);

}  // namespace acceld::engine
