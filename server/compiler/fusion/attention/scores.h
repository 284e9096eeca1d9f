#pragma once

#include <vector>

#include "absl/types/optional.h"
#include "common/ir/module.h"
#include "server/compiler/fusion/attention/attention_mask.h"
#include "server/compiler/fusion/groups/groups.h"
#include "server/compiler/fusion/view.h"

namespace acceld::compiler {

// What a softmax reads, if that is a scaled product, with a bias, masked. Views have the dimensions
// of the scores.
struct Scores {
  struct Bias {
    ir::ValueId value;
    View view;
    ir::DType score_dtype;  // of the sum
  };
  OpIndex dot = kNoOp;
  View product;  // of the dot's result
  double scale = 1;
  absl::optional<Bias> bias;
  std::vector<MaskTerm> masks;
  absl::optional<double> fill;   // of what is masked
  std::vector<OpIndex> members;  // each once; only those in `chain` have to be read by nobody else
  std::vector<OpIndex> chain;    // of the members, from the dot to the scores
};

// Whether the op converts between the floats that may be scores: f32, f16 and bf16. Who asks for
// f64, or for the few values of 8 bits, gets them.
bool ConvertsScores(const ir::Function& function, const ir::Op& op);

absl::optional<Scores> MatchScores(const RegionGraph& graph, ir::ValueId scores);

// A value that others are made of by moving elements, and for floats by exact conversions.
struct ViewedValue {
  ir::ValueId base;
  View view;
  std::vector<OpIndex> members;  // between them
};
// As far back as there is one view; `through_conversions` if also through conversions from floats
// of fewer bits.
ViewedValue FindBase(const RegionGraph& graph, ir::ValueId id, bool through_conversions);

}  // namespace acceld::compiler
