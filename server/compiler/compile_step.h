#pragma once

#include <chrono>

#include "absl/strings/string_view.h"

namespace acceld::compiler {

// When one step of a compile ran. A step is a pass of the pipeline, or a stage before or after the
// passes.
struct CompileStep {
  absl::string_view name;  // refers to static storage
  std::chrono::steady_clock::time_point begin, end;
};

}  // namespace acceld::compiler
