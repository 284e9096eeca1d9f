#pragma once

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "common/api/cache_verdict.h"

namespace acceld {

// What the daemon says of one execution, or of one compile.
struct ExecutionInfo {
  std::string fingerprint, cache_key;  // hexadecimal
  CacheVerdict verdict = CacheVerdict::kUnknown;
  double compile_ms = 0;  // for which the request waited for its executable
  double execute_us = 0;  // for which the execution was on the device
};

// How much of a device's memory an executable needs.
struct ExecutableMemory {
  uint64_t code_bytes = 0, constants_bytes = 0;  // machine code, as it is kept, and its constants
  uint64_t arena_bytes = 0;                      // temporaries of one execution
  // The results of one execution that take the memory of donated arguments, when nobody else holds
  // those arguments.
  uint64_t alias_bytes = 0;
};

// What the daemon says of a compile.
struct CompileInfo : ExecutionInfo {
  absl::optional<ExecutableMemory> memory;  // nullopt: it was compiled for devices elsewhere
};

// An execution that has begun on a device and has not ended. Its session may have.
struct RunningExecution {
  enum class State : uint8_t {
    kRuns,
    kSuspended,   // other executions have the device for a while
    kEnding,      // told to end, but inside a library call that cannot be interrupted
    kAwaitsHost,  // waits for the answer of a host callback of its client
  };

  uint32_t device = 0;
  uint64_t session = 0;
  std::string identity, program;
  double age_s = 0;        // since its command arrived
  double on_device_s = 0;  // since it began on the device
  State state = State::kRuns;
};

// "runs", "suspended", "ending", "asks".
constexpr absl::string_view StateName(RunningExecution::State state) {
  switch (state) {
    case RunningExecution::State::kRuns:
      return "runs";
    case RunningExecution::State::kSuspended:
      return "suspended";
    case RunningExecution::State::kEnding:
      return "ending";
    case RunningExecution::State::kAwaitsHost:
      return "asks";
  }
  return "";
}

}  // namespace acceld
