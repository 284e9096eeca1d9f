#pragma once

#include <utility>

#include "kernels/ir/build/statement_writer.h"

// Compensated sums of floats, as statements of kernel IR: the rounding error of each addition is
// kept and added up separately. Source: Knuth, The Art of Computer Programming, volume 2, section
// 4.2.2, theorem B.
namespace acceld::kernels::cpu {

// A sum as two values: `high` is the rounded sum, `low` the sum of the rounding errors of its
// additions.
struct CompensatedSum {
  Var high, low;
};

// Returns `sum` with `part` added.
CompensatedSum TwoSum(StatementWriter& w, const CompensatedSum& sum, Var part);

// Returns the sum as one value, high + low, or `high` alone if that is infinite or NaN: `low` is
// then meaningless.
Var RoundSum(StatementWriter& w, const CompensatedSum& sum);

Var Zero(StatementWriter& w, DType dtype);
// Returns the constant -0, which is the neutral element of addition: unlike +0 it does not change
// -0.
Var NegativeZero(StatementWriter& w, DType dtype);

}  // namespace acceld::kernels::cpu
