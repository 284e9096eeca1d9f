#pragma once

#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "common/status.h"

namespace acceld::kernels::cuda {

// NVIDIA's library of matrix products, opened when it is first asked for: a program that has it as
// a part starts on machines without it. A table of its functions, so that tests bring their own.
// Any thread may call.
struct CublasLt {
  using Result = int;  // cublasStatus_t
  using Handle = struct CublasLtHandle*;
  using Operation = struct CublasLtOperation*;
  using Layout = struct CublasLtLayout*;
  using Preference = struct CublasLtPreference*;
  using Stream = void*;
  struct Algorithm {
    uint64_t data[8];
  };
  struct Heuristic {
    Algorithm algorithm;
    size_t workspace_bytes;
    Result state;
    float waves;
    int reserved[4];
  };

  // FAILED_PRECONDITION, always the same, with what was looked for when there is none.
  static const absl::StatusOr<CublasLt>& Get();

  // OK, or INTERNAL with the number of `result` of `what`.
  static absl::Status Check(Result result, absl::string_view what);

#define ACCELD_CUBLAS_LT_SYMBOL(name, parameters) Result(*name) parameters = nullptr;
#include "kernels/cuda/cublas/symbols.def"
};

}  // namespace acceld::kernels::cuda
