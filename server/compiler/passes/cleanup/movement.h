#pragma once

#include "common/ir/module.h"
#include "common/status.h"
#include "server/compiler/passes/rewriter.h"

namespace acceld::compiler {

// The part of Canonicalize that knows ops which move data: drops those that move nothing, composes
// chains, and writes transposes and broadcasts that only regroup elements as reshapes. A visitor of
// Rewriter: true when it replaced the op.
absl::StatusOr<bool> SimplifyMovement(Rewriter& rewriter, ir::Op& op);

}  // namespace acceld::compiler
