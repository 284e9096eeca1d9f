#pragma once

#include "common/ir/module.h"
#include "common/status.h"
#include "server/codegen/target.h"

namespace acceld::compiler {

// A pass that makes large reductions with few results (for instance the sum over a whole tensor)
// parallel. It splits a reduction into two: the first reduces each block of the elements to a
// partial result, and the second reduces the partial results. The blocks depend only on the shape
// and the kind of device, so results do not depend on the number of threads. Partial sums and
// products of narrow floats are f32.
//
// The pass only splits reductions whose operation may be regrouped. StableHLO specification,
// "reduce": the implementation chooses the tree by which elements are combined, and may insert the
// initial value anywhere in it. The pass runs before isolate-nests and fusion.
absl::StatusOr<ir::Module> SplitReductions(const ir::Module& module, const codegen::Target& target);

}  // namespace acceld::compiler
