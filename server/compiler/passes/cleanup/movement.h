#pragma once

#include "common/ir/module.h"
#include "common/status.h"
#include "server/compiler/passes/rewriter.h"

namespace acceld::compiler {

// The part of Canonicalize for ops that move data: removes those that move nothing, composes
// chains, replaces transposes and broadcasts that keep the order of the elements by reshapes, and
// scatters of one window at a known place by updates of a slice.
// It is a visitor of Rewriter and returns true if it replaced the op.
absl::StatusOr<bool> SimplifyMovement(Rewriter& rewriter, ir::Op& op);

}  // namespace acceld::compiler
