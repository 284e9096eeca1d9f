#pragma once

#include "common/ir/module.h"
#include "common/status.h"

namespace acceld::compiler {

// A pass that evaluates elementwise and indexing ops on constants with the reference interpreter.
// Its work is bounded: it evaluates an op only if operands and result have at most 4096 elements or
// are splats (one repeated element). Once the new constants of a program exceed 64 MiB together,
// the remaining ops stay as they are. Loops are never run.
absl::StatusOr<ir::Module> FoldConstants(const ir::Module& module);

}  // namespace acceld::compiler
