#pragma once

#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/types/optional.h"
#include "kernels/ir/kernel.h"

namespace acceld::kernels::cuda {

// Whether an operation is an addition of floats, whose rounding errors can be compensated
// (device/sums.cuh).
inline bool IsFloatSum(ScalarOp combine, DType dtype) {
  return combine == ScalarOp::kAdd && (dtype == DType::kF32 || dtype == DType::kF64);
}

// A scan loop divided into three parts, each of which can be executed for several iterations at a
// time: the computation of elements, which does not depend on carried values; the combination of
// elements with carried values; and the stores. The sets contain statements directly in the loop's
// body.
struct SharedScan {
  // How one carried value is updated: `statements` compute CarriedValue::next from
  // CarriedValue::current and `element`. They have no other inputs that vary in the loop.
  struct Combination {
    Var element;
    absl::flat_hash_set<const Statement*> statements;
    bool is_sum = false;  // whether to compensate it: it is a long sum of floats (IsFloatSum)
  };

  const ForStatement* loop;
  std::vector<Combination> combinations;           // one for each carried value
  absl::flat_hash_set<const Statement*> elements;  // the statements that compute the elements
  absl::flat_hash_set<const Statement*> outputs;   // stores, and what computes indices and values
};

// Divides a loop into these parts; nullopt if it is no scan or cannot be divided. No statement
// outside the loop may use the loop's results.
absl::optional<SharedScan> FindSharedScan(const Kernel& kernel, const ForStatement& loop);

}  // namespace acceld::kernels::cuda
