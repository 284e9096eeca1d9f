#pragma once

#include <cstdint>
#include <vector>

#include "kernels/ir/kernel.h"

// What a builder knows about an i64 value, so that index arithmetic and bounds checks fold.
namespace acceld::kernels {

// Closed interval; the whole of i64 when nothing is known.
struct IndexRange {
  int64_t low = INT64_MIN;
  int64_t high = INT64_MAX;

  bool known() const { return low != INT64_MIN && high != INT64_MAX; }
  static IndexRange Of(int64_t value) { return {value, value}; }
  static IndexRange Unknown() { return {}; }
};

// The range of `op` on i64 operands with these ranges; Unknown when it may wrap.
IndexRange RangeOf(ScalarOp op, const IndexRange& a, const IndexRange& b);

// A value as a sum: constant + sum of coefficient * var.
struct LinearForm {
  struct Term {
    int64_t coefficient;
    Var var;
  };
  int64_t constant = 0;
  std::vector<Term> terms;
};

}  // namespace acceld::kernels
