#pragma once

#include "common/ir/module.h"
#include "common/status.h"

namespace acceld::compiler {

// A pass after which all values are tensors. It replaces each tuple by the tensors in it, one value
// each, and removes tokens, everywhere: among the operands and results of calls and control flow,
// and the parameters and results of regions and functions. Tokens are not needed for the order of
// ops with side effects, because passes keep these in the order of the program. The pass runs after
// composites became calls and before all other passes. The parameters and results of the entry are
// tensors already, because ResultTypesOf refuses other types.
absl::StatusOr<ir::Module> FlattenValues(const ir::Module& module);

}  // namespace acceld::compiler
