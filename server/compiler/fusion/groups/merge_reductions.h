#pragma once

#include "common/ir/module.h"
#include "common/status.h"
#include "server/codegen/target.h"

namespace acceld::compiler {

// Merges fusions that reduce the same dimensions of one shape and read the same large value, so
// that it is read once: the sums of a layer's gradients over a batch, say. For targets whose
// threads work alone, of which each reads its part in order. After fuse-rows, which keeps rows
// together first.
absl::StatusOr<ir::Module> MergeReductions(const ir::Module& module, const codegen::Target& target);

}  // namespace acceld::compiler
