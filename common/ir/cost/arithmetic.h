#pragma once

#include "absl/types/span.h"
#include "common/ir/module.h"

namespace acceld::ir {

// Operations on single elements: cost.h says which is which.
struct Arithmetic {
  double flops = 0, transcendentals = 0;
};

// What an op computes. `regions` are its regions, run once each. For all but calls, loops and
// branches.
Arithmetic ArithmeticOf(const Function& function, const Op& op,
                        absl::Span<const Arithmetic> regions);

}  // namespace acceld::ir
