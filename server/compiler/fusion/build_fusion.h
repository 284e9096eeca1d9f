#pragma once

#include <vector>

#include "common/ir/module.h"
#include "server/compiler/fusion/groups/groups.h"

namespace acceld::compiler {

// The ops of the region with each group of more than one op as an acceld.fusion at the group's
// position. Results keep their values; what is inside a fusion gets fresh ones, whose types are
// appended to `value_types`. Ops that only fusions needed are gone.
std::vector<ir::Op> BuildFusions(const RegionGraph& graph, const std::vector<Group>& groups,
                                 std::vector<ir::Type>& value_types);

}  // namespace acceld::compiler
