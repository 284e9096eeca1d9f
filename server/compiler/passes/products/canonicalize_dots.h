#pragma once

#include "common/ir/module.h"
#include "common/status.h"
#include "server/codegen/target.h"

namespace acceld::compiler {

// A pass that makes matrix products fit a library. Where possible, a transpose of an operand is
// removed, because the library can read the operand with strides. Where the batch, free or
// contracting dimensions of an operand cannot be read as one dimension each, or the target's
// library does not support the strides, the pass adds a transpose. It runs before fusion, which
// fuses the new transposes with their producers.
absl::StatusOr<ir::Module> CanonicalizeDots(const ir::Module& module,
                                            const codegen::Target& target);

}  // namespace acceld::compiler
