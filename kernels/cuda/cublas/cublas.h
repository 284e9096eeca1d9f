#pragma once

#include <cstddef>

#include "absl/strings/string_view.h"
#include "common/status.h"

namespace acceld::kernels::cuda {

// The functions of cuBLAS, NVIDIA's library of matrix operations, that cuBLASLt does not have. The
// library is loaded at run time, so that programs also start on machines without it. It is a table
// of function pointers, so that tests can replace them. Thread-safe, except that only one thread at
// a time may use a handle.
struct Cublas {
  using Result = int;  // cublasStatus_t
  using Handle = struct CublasHandle*;
  using Stream = void*;

  // Loads the library on the first call. Returns FAILED_PRECONDITION, with the paths that were
  // tried, if it cannot be loaded; every call has the same outcome.
  static const absl::StatusOr<Cublas>& Get();

  // Converts a result of the library to a status with its number; `what` is the function's name.
  // Returns UNIMPLEMENTED for operations that the library does not support, RESOURCE_EXHAUSTED when
  // it has no memory, INTERNAL for other errors.
  static absl::Status Check(Result result, absl::string_view what);

  // A function that exists for several element types is an array, indexed by f32, f64,
  // complex<f32>, complex<f64> in this order.
#define ACCELD_CUBLAS_SYMBOL(name, parameters) Result(*name) parameters = nullptr;
#define ACCELD_CUBLAS_TYPED(name, suffix, parameters) Result(*name[4]) parameters = {};
#include "kernels/cuda/cublas/cublas_symbols.def"
};

}  // namespace acceld::kernels::cuda
