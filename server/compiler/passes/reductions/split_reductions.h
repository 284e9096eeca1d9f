#pragma once

#include "common/ir/module.h"
#include "common/status.h"
#include "server/codegen/target.h"

namespace acceld::compiler {

// Makes large reductions with few results (a sum over a whole tensor) parallel: blocks of the
// reduced elements are reduced to a partial result each, and these to the result. The blocks follow
// from the shape and the kind of device, so results do not depend on the number of threads. Sums
// and products of narrow floats stay in f32 in between. Only reducers whose order may be changed:
// StableHLO specification, "reduce", lets an implementation choose the tree, and insert the initial
// value anywhere in it. Before nests are isolated and fused.
absl::StatusOr<ir::Module> SplitReductions(const ir::Module& module, const codegen::Target& target);

}  // namespace acceld::compiler
