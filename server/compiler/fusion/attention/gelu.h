#pragma once

#include <vector>

#include "absl/types/optional.h"
#include "server/compiler/fusion/groups/groups.h"

namespace acceld::compiler {

// Recognizes the tanh approximation of GELU,
//   x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3))),
// of a float value `x` that an op of the region defines. Returns the op that gives the final result
// and appends the ops between x and that one to `used`. Returns nullopt if there is none or if x or
// an intermediate result has another use. Factors and terms may be in any order, and constants may
// be rounded to x's type.
absl::optional<OpIndex> MatchGelu(const RegionGraph& graph, ir::ValueId x,
                                  std::vector<OpIndex>& used);

}  // namespace acceld::compiler
