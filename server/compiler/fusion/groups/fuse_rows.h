#pragma once

#include "common/ir/module.h"
#include "common/status.h"
#include "server/codegen/target.h"

namespace acceld::compiler {

// Merges fusions that walk the rows of one shape, where reductions of the rows stand between them
// (softmax, normalizations and their gradients), into one fusion that does all its stages while a
// row is in a cache. For targets whose threads work alone; others read rows with many threads
// together. After fuse, whose fusions these are.
absl::StatusOr<ir::Module> FuseRows(const ir::Module& module, const codegen::Target& target);

}  // namespace acceld::compiler
