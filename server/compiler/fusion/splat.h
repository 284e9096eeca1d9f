#pragma once

#include <vector>

#include "absl/types/optional.h"
#include "server/compiler/fusion/groups/groups.h"

namespace acceld::compiler {

// Returns the number that all elements of a float value equal, if the value is a constant or a
// broadcast constant in the region, and adds the ops that define it to `used`. Returns nullopt
// otherwise.
absl::optional<double> SplatOf(const RegionGraph& graph, ir::ValueId value,
                               std::vector<OpIndex>& used);

}  // namespace acceld::compiler
