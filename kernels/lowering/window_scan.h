#pragma once

#include "absl/types/optional.h"
#include "kernels/lowering/op_kernel.h"

// Cumulative sums and the like reach us as a reduce_window whose window spans a whole axis and
// whose padding makes result i fold elements 0..i (or i..n-1): n^2 steps as written, n as a scan.
namespace acceld::kernels {

struct WindowScan {
  int64_t dimension;
  bool reverse;  // result i folds elements i..n-1
};

// Set when `computation` (a reduce_window) is such a scan: one simple reducer (IsSimpleReducer)
// whose initial value is a constant that changes nothing, so that folding padding may be left out.
absl::optional<WindowScan> FindWindowScan(const Computation& computation);

absl::StatusOr<Kernel> LowerWindowScan(const Computation& computation, const WindowScan& scan);

}  // namespace acceld::kernels
