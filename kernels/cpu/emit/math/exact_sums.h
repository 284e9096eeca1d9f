#pragma once

#include <utility>

#include "kernels/ir/build/statement_writer.h"

// Sums of floats whose rounding is not lost: a sum is a pair, what has been added up so far and
// what rounding has lost of it. Source: Knuth, The Art of Computer Programming, volume 2, section
// 4.2.2, theorem B.
namespace acceld::kernels::cpu {

struct ExactSum {
  Var high, low;
};

// Adds `part` to a sum.
ExactSum TwoSum(StatementWriter& w, const ExactSum& sum, Var part);

// The sum as one number. Of an infinity or a NaN, what rounding has lost means nothing.
Var RoundSum(StatementWriter& w, const ExactSum& sum);

Var Zero(StatementWriter& w, DType dtype);
// Changes nothing that it is added to, not even -0.
Var NegativeZero(StatementWriter& w, DType dtype);

}  // namespace acceld::kernels::cpu
