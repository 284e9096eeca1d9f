#pragma once

#include "absl/types/optional.h"
#include "common/ir/module.h"

// Finds scans. Frameworks express a cumulative sum, product, minimum or the like as a
// reduce_window: its window spans a whole axis of n elements, and its padding makes result i
// combine elements 0 to i (or i to n - 1). As a reduce_window this takes n^2 steps, as a scan n.
namespace acceld::kernels {

struct WindowScan {
  int64_t dimension;  // the axis
  bool reverse;       // whether result i combines elements i to n - 1 instead of 0 to i
};

// Returns the scan if `op` is one, else nullopt. A scan is a reduce_window of one result with such
// a window, whose reducer is associative and commutative (ir::IsSimpleReducer, a product of complex
// numbers, or log(exp(a) + exp(b)) as JAX lowers it), and whose initial value is the reducer's
// identity, so that parts of the axis can be scanned separately. `initial` is the initial value if
// it is constant, else nullptr.
absl::optional<WindowScan> FindWindowScan(const ir::Function& function, const ir::Op& op,
                                          const ir::Literal* initial);

}  // namespace acceld::kernels
