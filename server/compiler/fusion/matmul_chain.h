#pragma once

#include <vector>

#include "absl/types/optional.h"
#include "common/ir/module.h"
#include "kernels/ir/plan.h"
#include "server/codegen/target.h"
#include "server/compiler/fusion/groups/groups.h"

namespace acceld::compiler {

// A dot_general and the elementwise ops after it that one matrix product of a library computes
// together: a scale, a residual, a bias, an activation, a conversion. Each op is the only user of
// the previous result (GELU, which uses it several times, counts as one op). Results of a narrow
// float type are rounded once, at the end, instead of after each op.
struct MatmulChain {
  kernels::MatmulStep step;      // its buffers are not set
  std::vector<OpIndex> members;  // first the dot_general, then the others in no particular order
  OpIndex last;                  // the member that gives the result
  ir::ValueId lhs, rhs;
  ir::ValueId bias, addend;  // if step.epilogue has them
};

// Returns the longest chain from the op at `dot` that the target's library supports, which may be
// the product alone. Returns nullopt if the op is no dot_general or if the target's library does
// not support the product.
absl::optional<MatmulChain> MatchMatmulChain(const RegionGraph& graph, OpIndex dot,
                                             const codegen::Target& target);

}  // namespace acceld::compiler
