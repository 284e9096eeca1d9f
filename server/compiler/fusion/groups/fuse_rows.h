#pragma once

#include "common/ir/module.h"
#include "common/status.h"
#include "server/codegen/target.h"

namespace acceld::compiler {

// A pass that merges loops over the rows of one shape and the reductions of these rows between them
// (as in softmax, normalizations and their gradients) into one fusion, a row fusion. It computes
// all stages for one row, while the row is in a cache, before it goes on to the next row. The pass
// does nothing for targets where several threads read one row together (threads_per_unit() > 1). It
// runs after fuse and merges the fusions that fuse made.
absl::StatusOr<ir::Module> FuseRows(const ir::Module& module, const codegen::Target& target);

}  // namespace acceld::compiler
