#pragma once

#include "common/ir/module.h"
#include "common/status.h"

namespace acceld::compiler {

// Leaves nothing but tensors: a tuple becomes the tensors in it, one value each, and a token
// becomes nothing, wherever they are: operands and results of calls and control flow, parameters
// and results of regions and functions. What tokens order is ordered already, since ops with side
// effects keep their place. After composites became calls, before everything else. The parameters
// and results of the entry are tensors: ResultTypesOf refuses others.
absl::StatusOr<ir::Module> FlattenValues(const ir::Module& module);

}  // namespace acceld::compiler
