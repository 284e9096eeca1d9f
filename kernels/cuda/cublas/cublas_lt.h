#pragma once

#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "common/status.h"

namespace acceld::kernels::cuda {

// The functions of cuBLASLt, NVIDIA's library of matrix products. The library is loaded at run
// time, so that programs also start on machines without it. It is a table of function pointers, so
// that tests can replace them. Thread-safe.
struct CublasLt {
  using Result = int;  // cublasStatus_t
  using Handle = struct CublasLtHandle*;
  using Operation = struct CublasLtOperation*;
  using Layout = struct CublasLtLayout*;
  using Preference = struct CublasLtPreference*;
  using Stream = void*;
  // cublasLtMatmulAlgo_t.
  struct Algorithm {
    uint64_t data[8];
  };
  // cublasLtMatmulHeuristicResult_t.
  struct Heuristic {
    Algorithm algorithm;
    size_t workspace_bytes;
    Result state;
    float waves;
    int reserved[4];
  };

  // Loads the library on the first call. Returns FAILED_PRECONDITION, with the paths that were
  // tried, if it cannot be loaded; every call has the same outcome.
  static const absl::StatusOr<CublasLt>& Get();

  // Converts a result of the library to a status: INTERNAL, with `what`, the function's name, and
  // the number, for every error.
  static absl::Status Check(Result result, absl::string_view what);

#define ACCELD_CUBLAS_LT_SYMBOL(name, parameters) Result(*name) parameters = nullptr;
#include "kernels/cuda/cublas/cublas_lt_symbols.def"
};

}  // namespace acceld::kernels::cuda
