#pragma once

#include "absl/types/span.h"
#include "common/ir/module.h"

namespace acceld::ir {

// Counts of operations on single elements; cost.h says which are transcendental.
struct Arithmetic {
  double flops = 0, transcendentals = 0;
};

// Returns the operations that an op performs. `regions` are the operations of its regions, executed
// once each. Not for calls, loops and branches.
Arithmetic ArithmeticOf(const Function& function, const Op& op,
                        absl::Span<const Arithmetic> regions);

}  // namespace acceld::ir
