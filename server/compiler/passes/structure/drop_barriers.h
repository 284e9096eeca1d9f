#pragma once

#include "common/ir/module.h"
#include "common/status.h"

namespace acceld::compiler {

// A pass that replaces the results of optimization barriers by their operands. A barrier asks the
// compiler to compute what follows it from its results, as if these were other values than the
// operands: this is how jax.checkpoint and Checkpoint (client/tracing/transforms/custom_rules.h)
// say that values are to be computed again instead of kept. The pass runs after the last one that
// merges equal ops, and before fusion, which may put the ops on both sides of a barrier into one
// kernel. See StableHLO, section optimization_barrier.
absl::StatusOr<ir::Module> DropBarriers(const ir::Module& module);

}  // namespace acceld::compiler
