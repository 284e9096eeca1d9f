#pragma once

#include <cstddef>

#include "absl/strings/string_view.h"
#include "common/status.h"

namespace acceld::kernels::cuda {

// The functions of cuFFT, NVIDIA's library of Fourier transforms. The library is loaded at run
// time, so that programs also start on machines without it. It is a table of function pointers, so
// that tests can replace them. Thread-safe, except that only one thread at a time may use a plan.
struct Cufft {
  using Result = int;  // cufftResult
  using Plan = int;    // cufftHandle
  using Size = long long;
  using Stream = void*;

  // Loads the library on the first call. Returns FAILED_PRECONDITION, with the paths that were
  // tried, if it cannot be loaded; every call has the same outcome.
  static const absl::StatusOr<Cufft>& Get();

  // Converts a result of the library to a status with its number; `what` is the function's name.
  // Returns UNIMPLEMENTED for operations that the library does not support, RESOURCE_EXHAUSTED when
  // it has no memory, INTERNAL for other errors.
  static absl::Status Check(Result result, absl::string_view what);

#define ACCELD_CUFFT_SYMBOL(name, parameters) Result(*name) parameters = nullptr;
#include "kernels/cuda/cufft/symbols.def"
};

}  // namespace acceld::kernels::cuda
