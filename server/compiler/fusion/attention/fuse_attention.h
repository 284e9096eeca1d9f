#pragma once

#include "common/ir/module.h"
#include "common/status.h"
#include "server/codegen/target.h"

namespace acceld::compiler {

// A pass that replaces ops that compute attention, where the target has a kernel for it
// (attention.h), by one acceld.fusion of kind attention, so that scores and probabilities are never
// stored. It recognizes attention as programs write it; therefore it runs before the passes that
// transpose operands for libraries, split reductions and convert narrow floats.
absl::StatusOr<ir::Module> FuseAttention(const ir::Module& module, const codegen::Target& target);

}  // namespace acceld::compiler
