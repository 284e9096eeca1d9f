#pragma once

#include "common/ir/module.h"
#include "common/status.h"

namespace acceld::compiler {

// A pass that replaces the transpose of a matrix product by the product of the operands in the
// other order, if the transpose is the only user of the product. Gradients of weights have this
// form; without the pass, the users of the transpose would have to read with strides. It runs
// before canonicalize-dots, which adapts the operands.
absl::StatusOr<ir::Module> SwapDots(const ir::Module& module);

}  // namespace acceld::compiler
