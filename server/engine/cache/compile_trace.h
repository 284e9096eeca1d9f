#pragma once

#include <chrono>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "common/status.h"
#include "server/compiler/compile_step.h"
#include "server/observability/instruments/trace_ring.h"

namespace acceld::engine {

// Adds to the trace a compile that has just ended on the calling thread, and its steps.
void TraceCompile(absl::string_view program_name, uint64_t session,
                  std::chrono::steady_clock::time_point begin,
                  absl::Span<const compiler::CompileStep> steps, const absl::Status& status,
                  observability::TraceRing& trace);

}  // namespace acceld::engine
