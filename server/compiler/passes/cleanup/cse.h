#pragma once

#include "common/ir/module.h"
#include "common/status.h"

namespace acceld::compiler {

// A pass that removes an op if an equal op with the same operands is before it in the same region
// or, where the region may use outside values, in an enclosing one. Ops with side effects stay. The
// pass runs after the simplifications, which bring equal computations to one form.
absl::StatusOr<ir::Module> EliminateCommonSubexpressions(const ir::Module& module);

}  // namespace acceld::compiler
