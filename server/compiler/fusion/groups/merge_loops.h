#pragma once

#include <vector>

#include "server/compiler/fusion/groups/groups.h"

namespace acceld::compiler {

// Merges groups of kind kLoop over the same shape into groups with several results. Two groups are
// candidates if they read the same value, or if one reads a result of the other at the index of the
// iteration itself. They are merged only if the first can be moved down to the position of the
// second (no op in between uses its results) or the second up to the position of the first (its
// operands are defined before), so that no cycle among ops arises. Returns the remaining groups.
std::vector<Group> MergeLoops(const RegionGraph& graph, std::vector<Group> groups);

}  // namespace acceld::compiler
