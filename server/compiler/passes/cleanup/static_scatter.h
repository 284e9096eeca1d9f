#pragma once

#include "server/compiler/passes/rewriter.h"

namespace acceld::compiler {

// Replaces a scatter that updates one window whose place is constant and inside the operand, as
// x.at[1:-1].set(y) makes it, by a dynamic_update_slice of the window: of the updates, or of what
// one op gives for the old elements and the updates. Returns whether it did.
bool ReplaceStaticScatter(Rewriter& rewriter, const ir::Op& op);

}  // namespace acceld::compiler
