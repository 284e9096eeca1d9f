#pragma once

#include "common/ir/module.h"
#include "common/status.h"

namespace acceld::compiler {

// A pass that groups ops into acceld.fusion ops, each of which becomes one loop nest:
//
// - An elementwise or indexing op is fused with the producers that it alone uses.
// - A cheap producer is copied into each of several users.
// - Producers are fused into reductions and scans.
// - Loops over the same shape and the same values become one loop with several results.
//
// A fusion never creates a cycle among ops and never repeats expensive work. The pass also fuses
// the ops within the regions of while, case and if. It runs after all passes that rewrite single
// ops, because those do not rewrite the ops within a fusion.
absl::StatusOr<ir::Module> Fuse(const ir::Module& module);

}  // namespace acceld::compiler
