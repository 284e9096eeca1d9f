#pragma once

#include <cstddef>

#include "absl/strings/string_view.h"
#include "common/status.h"

namespace acceld::hal::cuda {

// NVIDIA's driver, opened when it is first asked for: a program that has it as a part starts on
// machines without it. A table of its functions, so that tests bring their own. Any thread may
// call.
struct Driver {
  using Result = int;  // CUresult

  // That of this machine, initialized. FAILED_PRECONDITION, always the same, with what was looked
  // for or what the driver said when there is none to use.
  static const absl::StatusOr<Driver>& Get();

  // OK, or what the driver says of `result` of `what`.
  absl::Status Check(Result result, absl::string_view what) const;

#define ACCELD_CUDA_SYMBOL(name, parameters) Result(*name) parameters = nullptr;
#include "server/hal/cuda/driver_symbols.def"
};

}  // namespace acceld::hal::cuda
