#pragma once

#include "common/ir/module.h"
#include "common/status.h"
#include "server/codegen/target.h"

namespace acceld::compiler {

// A pass that merges fusions that reduce the same dimensions of the same shape and read the same
// large value (for instance the sums of a layer's gradients over a batch), so that the value is
// read from memory once. It does nothing for targets where several threads work on one piece
// together (threads_per_unit() > 1): it helps where each thread reads its own part in order. It
// runs after fuse-rows, because row fusions take precedence.
absl::StatusOr<ir::Module> MergeReductions(const ir::Module& module, const codegen::Target& target);

}  // namespace acceld::compiler
