#pragma once

#include "common/ir/module.h"
#include "common/status.h"

namespace acceld::compiler {

// Evaluates elementwise and indexing ops on constants, with the reference interpreter. Bounded: a
// result has at most 4096 elements, or is a splat and stays one. Loops are never run.
absl::StatusOr<ir::Module> FoldConstants(const ir::Module& module);

}  // namespace acceld::compiler
