#pragma once

#include "common/ir/module.h"
#include "common/status.h"
#include "server/codegen/target.h"

namespace acceld::compiler {

// A pass that makes scans (cumulative windows, kernels/lowering/windows/find_scan.h) along few but
// long lines of elements parallel, for instance the cumulative sum of one row. It scans each piece
// of a line separately, then scans the last values of the pieces, and finally combines the result
// before each piece with all values of the piece. The last step is elementwise, so it is fused with
// the ops that follow. The pieces depend only on the shape and the kind of device, so results do
// not depend on the number of threads. Intermediate sums and products of narrow floats are f32.
//
// Cumulative sums of logarithms, log(exp(a) + exp(b)), are split recursively into short pieces
// whatever their size, to reduce rounding errors.
//
// StableHLO specification, "reduce_window": each result is a reduction, and the implementation
// chooses the tree by which elements are combined. The pass runs before isolate-nests and fusion.
absl::StatusOr<ir::Module> SplitScans(const ir::Module& module, const codegen::Target& target);

}  // namespace acceld::compiler
