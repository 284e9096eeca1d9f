#pragma once

#include <vector>

#include "absl/types/optional.h"
#include "server/compiler/fusion/groups/groups.h"

namespace acceld::compiler {

// The op that ends x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3))), the tanh approximation
// of GELU, if all that `x`, a float, is used for is to compute it. Adds the ops before that one to
// `used` then. Factors and terms may stand in any order, and constants be rounded to x's type.
absl::optional<OpIndex> MatchGelu(const RegionGraph& graph, ir::ValueId x,
                                  std::vector<OpIndex>& used);

}  // namespace acceld::compiler
