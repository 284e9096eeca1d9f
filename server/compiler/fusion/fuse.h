#pragma once

#include "common/ir/module.h"
#include "common/status.h"

namespace acceld::compiler {

// Groups ops into acceld.fusion ops, each of which becomes one loop nest: elementwise and indexing
// ops with the producers that they alone use, cheap producers also where several use them,
// producers into reductions and scans, and loops of one shape over the same values into one with
// several results. Never makes a cycle and never repeats expensive work. Inside while and case
// bodies too; last before the plan, because nothing after it looks into a fusion.
absl::StatusOr<ir::Module> Fuse(const ir::Module& module);

}  // namespace acceld::compiler
