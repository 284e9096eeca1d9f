#pragma once

#include <vector>

#include "common/ir/module.h"
#include "server/compiler/fusion/groups/groups.h"

namespace acceld::compiler {

// Returns the ops of the graph's region with each group of more than one op replaced by an
// acceld.fusion at the group's position. The results of a fusion keep the ids of the values that
// they replace. Values inside a fusion get new ids, whose types are appended to `value_types` (the
// types of the values of the graph's function). Ops that only members of fusions used are left out.
std::vector<ir::Op> BuildFusions(const RegionGraph& graph, const std::vector<Group>& groups,
                                 std::vector<ir::Type>& value_types);

}  // namespace acceld::compiler
