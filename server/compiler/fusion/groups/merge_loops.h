#pragma once

#include <vector>

#include "server/compiler/fusion/groups/groups.h"

namespace acceld::compiler {

// Joins loop groups over one shape that read the same values, or of which one reads the other's
// result at its own index, into loops with several results. Two groups join only when the first can
// be put off until the second (nothing between needs it) or the second can be made as early as the
// first, so no cycle can arise.
std::vector<Group> MergeLoops(const RegionGraph& graph, std::vector<Group> groups);

}  // namespace acceld::compiler
