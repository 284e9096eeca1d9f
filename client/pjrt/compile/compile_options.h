#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "common/status.h"

namespace acceld::pjrt {

// The options of one compilation, as the framework passes them.
struct CompileOptions {
  std::string serialized;          // The message that contained the options.
  absl::optional<int64_t> device;  // JAX's number; nullopt: any device.
  // When the daemon compiles. kNow: at once, while the caller continues; an error is reported by
  // the results of executions. kNowAndWait: at once, and the call returns when the compilation has
  // ended, with its error if it failed. kLater: when the program first runs. The compiler option
  // "acceld_compile" selects them as "now", "wait" or "later".
  enum class Start : uint8_t { kNow, kNowAndWait, kLater };
  Start start = Start::kNow;
  // The numbers of the Python functions that are the program's host callbacks 0, 1, ... (the option
  // "acceld_callbacks", a comma-separated list).
  std::vector<uint64_t> callbacks;
};

// Parses a serialized CompileOptionsProto. UNIMPLEMENTED for a program that spans several devices.
// INVALID_ARGUMENT for malformed bytes, and for a compiler option that is neither one of acceld's
// nor one of XLA's that may be ignored (ignored_options.def); the message names the option and
// those that are accepted.
absl::StatusOr<CompileOptions> ReadCompileOptions(absl::string_view serialized);

}  // namespace acceld::pjrt
