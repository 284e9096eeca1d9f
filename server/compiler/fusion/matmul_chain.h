#pragma once

#include <vector>

#include "absl/types/optional.h"
#include "common/ir/module.h"
#include "kernels/ir/plan.h"
#include "server/codegen/target.h"
#include "server/compiler/fusion/groups/groups.h"

namespace acceld::compiler {

// A dot_general and elementwise ops behind it, each the only user of what is before it, that are
// one matrix product of a library: a scale, a residual, a bias, an activation, a conversion. Narrow
// floats are then rounded once, at the end, instead of after each op.
struct MatmulChain {
  kernels::MatmulStep step;      // without its places
  std::vector<OpIndex> members;  // first the dot_general, then the others in no order
  OpIndex last;                  // of the ops behind each other: gives the result
  ir::ValueId lhs, rhs;
  ir::ValueId bias, addend;  // if step.epilogue has them
};

// The longest chain behind the op at `dot` that the target takes; without other ops if it takes no
// more than the product. nullopt if the op is no dot_general, or none that the target's library
// runs.
absl::optional<MatmulChain> MatchMatmulChain(const RegionGraph& graph, OpIndex dot,
                                             const codegen::Target& target);

}  // namespace acceld::compiler
