#pragma once

#include "common/ir/module.h"
#include "common/status.h"
#include "server/codegen/target.h"

namespace acceld::compiler {

// Makes matrix products fit a library: transposes of operands become strides where they can, and
// where the batch, free or contracting dimensions of an operand do not lie in memory as one each,
// or not as the target's library wants them, it is transposed first. Before fusion, so that such a
// transpose takes its producers in.
absl::StatusOr<ir::Module> CanonicalizeDots(const ir::Module& module,
                                            const codegen::Target& target);

}  // namespace acceld::compiler
