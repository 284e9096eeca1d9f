#pragma once

#include "common/ir/module.h"
#include "common/status.h"
#include "server/codegen/target.h"

namespace acceld::compiler {

// Gives convolutions layouts that the target's library or a good loop nest takes, by transposes
// around them: of the kernel alone where that is enough, else features go last in all three
// tensors. Stands after the simplifications, so that transposes which the program itself has are
// already folded, and before fusion, which takes the new ones up.
absl::StatusOr<ir::Module> CanonicalizeConvolutions(const ir::Module& module,
                                                    const codegen::Target& target);

}  // namespace acceld::compiler
