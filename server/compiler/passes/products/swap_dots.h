#pragma once

#include "common/ir/module.h"
#include "common/status.h"

namespace acceld::compiler {

// Makes the transpose of a matrix product the product of its operands in the other order, where
// nothing else reads the product: gradients of weights come as such transposes, which would cost
// strided reads in whatever reads them. Before canonicalize-dots, which gives operands their
// strides.
absl::StatusOr<ir::Module> SwapDots(const ir::Module& module);

}  // namespace acceld::compiler
