#pragma once

#include "common/ir/module.h"
#include "common/status.h"
#include "server/codegen/target.h"

namespace acceld::compiler {

// Makes attention that the target has a kernel for (attention.h) one acceld.fusion of kind
// attention, so that scores and probabilities are never stored. As programs write it, so before
// passes that transpose operands for libraries, split reductions and convert narrow floats.
absl::StatusOr<ir::Module> FuseAttention(const ir::Module& module, const codegen::Target& target);

}  // namespace acceld::compiler
