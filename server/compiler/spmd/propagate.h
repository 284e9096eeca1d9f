#pragma once

#include <optional>
#include <vector>

#include "common/ir/module.h"
#include "common/status.h"
#include "server/compiler/spmd/canonical_mesh.h"
#include "server/compiler/spmd/factor_rule.h"

namespace acceld::compiler::spmd {

// Returns a layout for each value of the function, by ValueId: that of its sharding if it has one,
// else one that follows from the layouts of the values that it is computed from and that are
// computed from it. Values inside manual computations have layouts along the axes that are not
// manual. A layout divides the dimensions of its value. The function
// must not call others. Source: Shardy, "Sharding propagation"; the order in which conflicts are
// decided is our own: values that the program names come first, then operands before results, and
// operands of broadcasts last. Dimensions with a priority are propagated before those with a lower
// one (a higher number).
// `rules` are those of the function.
std::vector<Layout> Propagate(const ir::Module& module, const ir::Function& function,
                              const CanonicalMesh& mesh, const FactorRules& rules);

}  // namespace acceld::compiler::spmd
