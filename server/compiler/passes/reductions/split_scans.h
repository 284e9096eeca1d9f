#pragma once

#include "common/ir/module.h"
#include "common/status.h"
#include "server/codegen/target.h"

namespace acceld::compiler {

// Makes long cumulative windows of few lines (a cumulative sum of one row) parallel: each line is
// scanned in pieces, the last values of the pieces are scanned in their turn, and what comes before
// a piece is combined with all of its values. That last step is elementwise, so it fuses with what
// follows. The pieces follow from the shape and the kind of device, so results do not depend on the
// number of threads. Sums and products of narrow floats stay in f32 in between. Cumulative sums of
// logarithms, log(exp(a) + exp(b)), are taken in pieces of pieces whatever their size, for the
// rounding errors' sake. StableHLO specification, "reduce_window": each result is a reduction,
// whose tree an implementation may choose. Before nests are isolated and fused.
absl::StatusOr<ir::Module> SplitScans(const ir::Module& module, const codegen::Target& target);

}  // namespace acceld::compiler
