#pragma once

#include <vector>

#include "common/ir/module.h"
#include "server/compiler/fusion/groups/groups.h"
#include "server/compiler/fusion/view.h"

namespace acceld::compiler {

// One condition on the elements of an attention mask. A mask is a list of terms; an element of it
// is on (that is, the score at its index is kept) if all terms hold there. There are two kinds of
// terms:
//
// - An affine term compares positions, as causal masks do. It holds where
//   view.offset + (sum over all digits of index * stride) >= 0.
// - Any other term holds where the element of `base`, an i1 tensor, equals `on_when`. The view says
//   which element of `base` belongs to an element of the mask.
struct MaskTerm {
  bool is_affine = false;
  View view;             // has the dimensions of the mask
  ir::ValueId base = 0;  // unless affine
  bool on_when = true;   // unless affine
};

// Returns the condition that an element of the i1 tensor `mask` equals `on_when`, as terms that all
// have to hold. Analyzes comparisons of iotas, conjunctions, selections of constants, broadcasts
// and the like; a value that cannot be analyzed becomes one term itself, so the function never
// fails. Appends the ops that the terms replace to `used`.
std::vector<MaskTerm> ReadMask(const RegionGraph& graph, ir::ValueId mask, bool on_when,
                               std::vector<OpIndex>& used);

}  // namespace acceld::compiler
