#pragma once

#include <vector>

#include "absl/types/optional.h"
#include "kernels/ir/kernel.h"

namespace acceld::kernels::cpu {

// A carried float that each iteration makes of the current one by steps of one operation: a sum, a
// product, the largest or the smallest of what it meets.
struct Accumulation {
  struct Step {
    Var result;
    Var current;  // its operand that is the result of the step before, or the loop's current value
    Var element;  // the other one
  };
  ScalarOp op;
  std::vector<Step> steps;  // the last one first
  // Nothing but the next step and the next iteration looks at what is accumulated.
  bool is_private;
};

// For each of `loop`'s carried values; nullopt for those that are something else.
std::vector<absl::optional<Accumulation>> FindAccumulations(const Kernel& kernel,
                                                            const ForStatement& loop);

// A loop's step on an element of scratch: result = op(scratch[i], element), stored in scratch[i],
// where i is the loop's induction variable. What a loop around adds up so, it does for each column.
struct ColumnStep {
  uint32_t scratch;
  ScalarOp op;
  Var result;
};

// Those that stand in the body of `loop`, in order; the scratch may be used by other statements
// too.
std::vector<ColumnStep> FindColumnSteps(const Kernel& kernel, const ForStatement& loop);

// Scratch comes behind the kernel's buffers.
inline bool IsScratch(const Kernel& kernel, uint32_t buffer) {
  return buffer >= kernel.buffers.size();
}

}  // namespace acceld::kernels::cpu
