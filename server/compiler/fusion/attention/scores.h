#pragma once

#include <vector>

#include "absl/types/optional.h"
#include "common/ir/module.h"
#include "server/compiler/fusion/attention/attention_mask.h"
#include "server/compiler/fusion/groups/groups.h"
#include "server/compiler/fusion/view.h"

namespace acceld::compiler {

// The ops that compute the scores of an attention, the operand of its softmax: a matrix product
// times a scale, plus an optional bias, with optional masks. All views have the dimensions of the
// scores.
struct Scores {
  struct Bias {
    ir::ValueId value;
    View view;              // of `value`
    ir::DType score_dtype;  // the type to which the sum of score and bias is rounded
  };
  OpIndex dot = kNoOp;  // the matrix product
  View product;         // of the dot's result
  double scale = 1;
  absl::optional<Bias> bias;
  std::vector<MaskTerm> masks;  // a score for which they do not all hold is replaced by `fill`
  absl::optional<double> fill;
  std::vector<OpIndex> members;  // all ops that a fusion of the scores contains
  // Those of the members that lead from the dot to the scores, both included. An op outside must
  // not read their results; it may read those of the other members.
  std::vector<OpIndex> chain;
};

// Whether the op converts between the types that scores may have: f32, f16 and bf16. Other floats
// are excluded, because a program that asks for the precision of f64 or the rounding of an 8-bit
// float has to get it.
bool IsScoreConversion(const ir::Function& function, const ir::Op& op);

// Recognizes the value `scores` as the scores of an attention. Returns nullopt if it is not.
absl::optional<Scores> MatchScores(const RegionGraph& graph, ir::ValueId scores);

// The origin of a value: the value `base` from which it is made by ops that only move elements, and
// perhaps by exact conversions of floats.
struct ViewedValue {
  ir::ValueId base;
  View view;                     // how the elements of the value lie in `base`
  std::vector<OpIndex> members;  // the ops from `base` to the value
};
// Traces `id` back through the ops of the region as far as one view can describe the movement. With
// `through_conversions` also through conversions from narrower floats to f32.
ViewedValue FindBase(const RegionGraph& graph, ir::ValueId id, bool through_conversions);

}  // namespace acceld::compiler
