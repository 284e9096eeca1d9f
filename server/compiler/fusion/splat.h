#pragma once

#include <vector>

#include "absl/types/optional.h"
#include "server/compiler/fusion/groups/groups.h"

namespace acceld::compiler {

// The number that all elements of a float value are, if ops of the region say so: a constant, or a
// constant broadcast. Adds these ops to `used` then.
absl::optional<double> SplatOf(const RegionGraph& graph, ir::ValueId value,
                               std::vector<OpIndex>& used);

}  // namespace acceld::compiler
