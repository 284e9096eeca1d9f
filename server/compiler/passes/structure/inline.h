#pragma once

#include "common/ir/module.h"
#include "common/status.h"

namespace acceld::compiler {

// Puts the bodies of functions in the place of their calls: of small ones, of those with one call,
// of those whose copies stay few, and of those called from the regions of reductions and the like.
// A large function that is called often stays one function and is compiled once. Early, because
// every later pass sees further in one body. Functions that nobody calls any more are dropped.
// RESOURCE_EXHAUSTED when what must be copied is too much for a program of this size.
absl::StatusOr<ir::Module> InlineCalls(const ir::Module& module);

}  // namespace acceld::compiler
