#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "common/status.h"

namespace acceld::pjrt {

// What a framework asks of a compile.
struct CompileOptions {
  std::string serialized;          // the message that they were read from
  absl::optional<int64_t> device;  // JAX's number; none: any
  // When the daemon compiles: now, while the caller goes on, and errors come with the results; or
  // now, and the call returns when the code is there, with the error if there will be none; or when
  // the program first runs. The compiler option "acceld_compile" says "now", "wait" or "later".
  enum class Start : uint8_t { kNow, kNowAndWait, kLater };
  Start start = Start::kNow;
  // Numbers of the Python functions that are the program's host callbacks 0, 1, ... (the option
  // "acceld_callbacks", with commas between them).
  std::vector<uint64_t> callbacks;
};

// Reads a serialized CompileOptionsProto. UNIMPLEMENTED for a program over several devices.
// INVALID_ARGUMENT for what is no such message, and for a compiler option that is neither one of
// acceld's nor a hint to other compilers that no result depends on (ignored_options.def): the
// message names it and those that there are.
absl::StatusOr<CompileOptions> ReadCompileOptions(absl::string_view serialized);

}  // namespace acceld::pjrt
