#pragma once

#include <cstdint>
#include <vector>

#include "kernels/ir/kernel.h"

// Facts about i64 values, from which KernelBuilder folds index arithmetic and bounds checks.
namespace acceld::kernels {

// The closed interval [low, high] in which a value lies; all of i64 if nothing is known.
struct IndexRange {
  int64_t low = INT64_MIN;
  int64_t high = INT64_MAX;

  // Whether both bounds are known.
  bool known() const { return low != INT64_MIN && high != INT64_MAX; }
  static IndexRange Of(int64_t value) { return {value, value}; }
  static IndexRange Unknown() { return {}; }
};

// The range of `op` on i64 operands that lie in `a` and `b`. Unknown() if the operation may
// overflow or is not one of add, subtract, multiply, min, max and division or remainder by a
// constant.
IndexRange RangeOf(ScalarOp op, const IndexRange& a, const IndexRange& b);

// An i64 value as a linear combination: constant + sum of coefficient * var over the terms.
struct LinearForm {
  struct Term {
    int64_t coefficient;
    Var var;
  };
  int64_t constant = 0;
  std::vector<Term> terms;
};

}  // namespace acceld::kernels
