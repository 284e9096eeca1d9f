#pragma once

#include <vector>

#include "common/ir/module.h"
#include "server/compiler/spmd/canonical_mesh.h"
#include "server/compiler/spmd/factor_rule.h"

// Values that are kept in parts (Layout::unreduced): what one process has of a sum, a maximum or a
// minimum, before the parts of all processes are combined. Source: Shardy, "Sharding
// representation", unreduced axes.
namespace acceld::compiler::spmd {

// Returns the op that combines what processes compute if a reduction factor of the op is divided.
ir::OpKind CombinerOf(const ir::Op& op);

// Decides which values of a function are kept in parts and sets their layouts, which Propagate has
// made, accordingly: those whose sharding in the program says so, and those that are only used
// where such parts are wanted, if their ops can give them without communication. Constants,
// parameters without sharding and the like are never in parts.
void ChooseParts(const ir::Module& module, const ir::Function& function, const CanonicalMesh& mesh,
                 const FactorRules& rules, std::vector<Layout>& layouts);

}  // namespace acceld::compiler::spmd
