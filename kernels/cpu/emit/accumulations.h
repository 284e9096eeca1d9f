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

}  // namespace acceld::kernels::cpu
