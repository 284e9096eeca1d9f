#pragma once

#include "absl/types/optional.h"
#include "common/ir/module.h"

// Cumulative sums and the like reach us as a reduce_window whose window spans a whole axis and
// whose padding makes result i fold elements 0..i (or i..n-1): n^2 steps as written, n as a scan.
namespace acceld::kernels {

struct WindowScan {
  int64_t dimension;
  bool reverse;  // result i folds elements i..n-1
};

// Set when `op` is such a scan: a reduce_window of one result by an associative and commutative
// operation (IsSimpleReducer, a product of complex numbers, or log(exp(a) + exp(b)) as JAX writes
// it) over a constant initial value that changes nothing, so that parts of the axis may be scanned
// from it apart. `initial` is that constant; nullptr when it is none.
absl::optional<WindowScan> FindWindowScan(const ir::Function& function, const ir::Op& op,
                                          const ir::Literal* initial);

}  // namespace acceld::kernels
