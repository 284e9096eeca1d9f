#pragma once

#include <vector>

#include "common/ir/module.h"
#include "server/compiler/fusion/groups/groups.h"
#include "server/compiler/fusion/view.h"

namespace acceld::compiler {

// One of the conditions that all have to hold for an element of a mask to be on.
struct MaskTerm {
  // The element at an index is on if view.offset + sum of index * stride is at least 0: what
  // compares positions with each other. Otherwise if the element of `base`, an i1, is `on_when`.
  bool is_affine = false;
  View view;
  ir::ValueId base = 0;
  bool on_when = true;
};

// What an i1 says, as terms whose views have its dimensions: what is on is `on_when`. Comparisons
// of iotas, conjunctions, selections of constants and broadcasts are looked into; what cannot be is
// one term of its own. Adds the ops of the region that were looked into to `used`.
std::vector<MaskTerm> ReadMask(const RegionGraph& graph, ir::ValueId mask, bool on_when,
                               std::vector<OpIndex>& used);

}  // namespace acceld::compiler
