#pragma once

#include <cstddef>

#include "absl/strings/string_view.h"
#include "common/status.h"

namespace acceld::kernels::cuda {

// NVIDIA's library of Fourier transforms, opened when it is first asked for: a program that has it
// as a part starts on machines without it. A table of its functions, so that tests bring their own.
// Any thread may call, but only one at a time about the same plan.
struct Cufft {
  using Result = int;  // cufftResult
  using Plan = int;    // cufftHandle
  using Size = long long;
  using Stream = void*;

  // FAILED_PRECONDITION, always the same, with what was looked for when there is none.
  static const absl::StatusOr<Cufft>& Get();

  // OK, or an error with the number of `result` of `what`: UNIMPLEMENTED for what the library does
  // not do, RESOURCE_EXHAUSTED when it has no memory, else INTERNAL.
  static absl::Status Check(Result result, absl::string_view what);

#define ACCELD_CUFFT_SYMBOL(name, parameters) Result(*name) parameters = nullptr;
#include "kernels/cuda/cufft/symbols.def"
};

}  // namespace acceld::kernels::cuda
