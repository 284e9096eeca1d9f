#pragma once

#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/types/optional.h"
#include "kernels/ir/kernel.h"

namespace acceld::kernels::cuda {

// Whether an operation adds floats, of which the rounding need not be lost (device/sums.cuh).
inline bool IsFloatSum(ScalarOp combine, DType dtype) {
  return combine == ScalarOp::kAdd && (dtype == DType::kF32 || dtype == DType::kF64);
}

// A scan loop in three parts, so that each can be done for several iterations at a time: elements,
// which need nothing that is carried; their combination with it; and what is stored. All sets are
// of statements of the loop's body itself.
struct SharedScan {
  // How one carried value goes on: combined with the element, by these statements, it gives
  // CarriedValue::next. Nothing else that varies goes into them.
  struct Combination {
    Var element;
    absl::flat_hash_set<const Statement*> statements;
    bool is_sum = false;  // IsFloatSum: the element is added, and there are many
  };

  const ForStatement* loop;
  std::vector<Combination> combinations;           // of each carried value
  absl::flat_hash_set<const Statement*> elements;  // what gives the elements
  absl::flat_hash_set<const Statement*> outputs;   // stores, and what gives what they store
};

// Nullopt when `loop` is no scan, or none of which the parts can be told from each other. Its
// results must not be used.
absl::optional<SharedScan> FindSharedScan(const Kernel& kernel, const ForStatement& loop);

}  // namespace acceld::kernels::cuda
