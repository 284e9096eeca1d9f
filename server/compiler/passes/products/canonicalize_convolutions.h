#pragma once

#include "common/ir/module.h"
#include "common/status.h"
#include "server/codegen/target.h"

namespace acceld::compiler {

// A pass that gives convolutions a layout that the target's library, or else an efficient loop nest
// or matrix product, supports. It adds transposes: of the kernel only if that is enough; otherwise
// the feature dimensions become the last ones of all three tensors. It runs after the
// simplifications, so that the program's own transposes are folded before, and before fusion, which
// fuses the new ones.
absl::StatusOr<ir::Module> CanonicalizeConvolutions(const ir::Module& module,
                                                    const codegen::Target& target);

}  // namespace acceld::compiler
