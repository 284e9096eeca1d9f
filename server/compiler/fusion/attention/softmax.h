#pragma once

#include <vector>

#include "absl/types/optional.h"
#include "common/ir/module.h"
#include "server/compiler/fusion/groups/groups.h"

namespace acceld::compiler {

// The ops that compute exp(x - max(x)) / sum(exp(x - max(x))) along one dimension of x.
struct Softmax {
  ir::ValueId scores;            // x
  int64_t dim;                   // the dimension of x
  std::vector<OpIndex> members;  // from the maximum to the quotient
};

// Returns the softmax whose last op is the division at `quotient`, or nullopt if there is none.
// There may be conversions between f32, f16 and bf16 between its ops.
absl::optional<Softmax> MatchSoftmax(const RegionGraph& graph, OpIndex quotient);

}  // namespace acceld::compiler
