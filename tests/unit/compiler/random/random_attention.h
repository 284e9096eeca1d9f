#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/ir/types/literal.h"

namespace acceld::compiler {

// A program around attention, as text, and arguments for it; the same for the same seed.
struct RandomAttention {
  std::string text;
  std::vector<ir::Literal> arguments;
  double tolerance = 0;  // of results, which are averages of values within [-1, 1], or NaN
};

// Operands in any order of dimensions, some merged or slices of more; heads that share keys, by
// repeating these or as a dimension of their own; products either way round; a scale, a bias and
// masks of all kinds; f32, f16 and bf16, and odd sizes.
RandomAttention MakeRandomAttention(uint64_t seed);

}  // namespace acceld::compiler
