#pragma once

#include "absl/strings/string_view.h"
#include "common/status.h"

namespace acceld::kernels::cuda {

// NVIDIA's library of dense linear algebra, opened when it is first asked for: a program that has
// it as a part starts on machines without it. A table of its functions, so that tests bring their
// own. Any thread may call, but only one at a time with the same handle.
struct Cusolver {
  using Result = int;  // cusolverStatus_t
  using Handle = struct CusolverHandle*;
  using Stream = void*;

  // FAILED_PRECONDITION, always the same, with what was looked for when there is none.
  static const absl::StatusOr<Cusolver>& Get();

  // OK, or an error with the number of `result` of `what`: UNIMPLEMENTED for what the library does
  // not do, RESOURCE_EXHAUSTED when it has no memory, else INTERNAL.
  static absl::Status Check(Result result, absl::string_view what);

  // What depends on the type of elements is an array: f32, f64, complex<f32>, complex<f64>.
#define ACCELD_CUSOLVER_SYMBOL(name, parameters) Result(*name) parameters = nullptr;
#define ACCELD_CUSOLVER_TYPED(name, real, complex, parameters) Result(*name[4]) parameters = {};
#include "kernels/cuda/cusolver/symbols.def"
};

}  // namespace acceld::kernels::cuda
