#pragma once

#include <chrono>

#include "absl/strings/string_view.h"

namespace acceld::compiler {

// What a compile did and when: a pass, or a stage before or after them. Names are literals.
struct CompileStep {
  absl::string_view name;
  std::chrono::steady_clock::time_point begin, end;
};

}  // namespace acceld::compiler
