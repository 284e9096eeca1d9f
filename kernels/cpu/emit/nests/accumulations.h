#pragma once

#include <vector>

#include "absl/types/optional.h"
#include "kernels/ir/kernel.h"

namespace acceld::kernels::cpu {

// A float that a loop carries, and that each iteration computes from the current value in one or
// several steps with the same operation: a sum, a product, a maximum or a minimum.
struct Accumulation {
  struct Step {
    Var result;
    // The operand that is the result of the previous step, or the loop's current value.
    Var current;
    Var element;  // the other operand
  };
  ScalarOp op;
  std::vector<Step> steps;  // the last one first
  // Whether only the next step and the next iteration use what is accumulated.
  bool is_private;
};

// Returns the accumulation for each of the values that `loop` carries, or nullopt if the value is
// not one.
std::vector<absl::optional<Accumulation>> FindAccumulations(const Kernel& kernel,
                                                            const ForStatement& loop);

// A statement in a loop that accumulates into an array of scratch: result = op(scratch[i], element)
// is stored to scratch[i], where i is the loop's induction variable. A surrounding loop thus
// accumulates one value for each column i.
struct ColumnStep {
  uint32_t scratch;
  ScalarOp op;
  Var result;
};

// Returns the column steps in the body of `loop`, in order. Other statements may use the scratch
// array, too.
std::vector<ColumnStep> FindColumnSteps(const Kernel& kernel, const ForStatement& loop);

// Returns whether a buffer number stands for scratch. Scratch arrays are numbered after the
// kernel's buffers.
inline bool IsScratch(const Kernel& kernel, uint32_t buffer) {
  return buffer >= kernel.buffers.size();
}

}  // namespace acceld::kernels::cpu
