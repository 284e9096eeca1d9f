#pragma once

#include <vector>

#include "absl/types/optional.h"
#include "common/ir/module.h"
#include "kernels/ir/attention_shape.h"
#include "server/codegen/target.h"
#include "server/compiler/fusion/groups/groups.h"

namespace acceld::compiler {

// Ops of one region that together compute scaled dot-product attention and can be replaced by one
// kernel: a matrix product (the scores), a scale, a bias, masks, a softmax along one dimension (the
// probabilities), a second product, and ops that only move elements before, between and after
// these.
//
// The kernel computes scores and probabilities in f32, also where the program has a narrower type.
// Only the sum of a score and a bias is rounded to the program's type, because with a large
// negative bias that rounding decides how much of the score remains.
struct AttentionMatch {
  kernels::AttentionShape shape;
  std::vector<OpIndex> members;
  // The members that compute the scores, the probabilities and everything after them, except
  // `last`. Only members read the results of these ops (other than of constants). Further members,
  // for instance those that compute a mask, may also have users outside.
  std::vector<OpIndex> owned;
  OpIndex last;  // the member that gives the result
  // The operands of the kernel: values that no member defines.
  ir::ValueId query, key, value;
  ir::ValueId bias = 0;            // if shape.bias
  std::vector<ir::ValueId> masks;  // one for each of shape.masks
};

// Finds the attention whose second product is the op at `dot`. The match also contains the ops
// after the product that move or round its result, as many of them as the kernel can do. Returns
// nullopt if the ops are no attention, if an op outside reads an intermediate result, or if the
// target has no kernel for it.
absl::optional<AttentionMatch> MatchAttention(const RegionGraph& graph, OpIndex dot,
                                              const codegen::Target& target);

}  // namespace acceld::compiler
