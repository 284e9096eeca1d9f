#pragma once

#include <vector>

#include "absl/types/optional.h"
#include "common/ir/module.h"
#include "kernels/ir/attention_shape.h"
#include "server/codegen/target.h"
#include "server/compiler/fusion/groups/groups.h"

namespace acceld::compiler {

// Ops that together are scaled dot-product attention: a product, a scale, a bias, masks, a softmax
// along one dimension, a second product, and what moves elements before, between and behind them.
// Scores and probabilities are f32 inside, whatever they were; where a bias is added they are
// rounded as they were, since what is left of scores under a large negative bias depends on it.
struct AttentionMatch {
  kernels::AttentionShape shape;
  std::vector<OpIndex> members;
  std::vector<OpIndex> owned;     // of the members: scores, probabilities and what is behind
  OpIndex last;                   // gives the result
  ir::ValueId query, key, value;  // from outside of the members, as are the others
  ir::ValueId bias = 0;           // if shape.bias
  std::vector<ir::ValueId> masks;
};

// The attention whose second product is the op at `dot`, with as much of what moves its result as
// fits. nullopt if there is none, if something else reads what is between, or if the target has no
// kernel for it.
absl::optional<AttentionMatch> MatchAttention(const RegionGraph& graph, OpIndex dot,
                                              const codegen::Target& target);

}  // namespace acceld::compiler
