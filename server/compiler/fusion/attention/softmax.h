#pragma once

#include <vector>

#include "absl/types/optional.h"
#include "common/ir/module.h"
#include "server/compiler/fusion/groups/groups.h"

namespace acceld::compiler {

// exp(x - max(x)) / sum(exp(x - max(x))) along one dimension.
struct Softmax {
  ir::ValueId scores;            // x
  int64_t dim;                   // of x
  std::vector<OpIndex> members;  // from the maximum to the quotient
};

// The softmax that the op at `quotient` ends, or nullopt.
absl::optional<Softmax> MatchSoftmax(const RegionGraph& graph, OpIndex quotient);

}  // namespace acceld::compiler
