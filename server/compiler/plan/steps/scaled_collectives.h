#pragma once

#include "absl/container/flat_hash_map.h"
#include "common/ir/module.h"
#include "server/compiler/fusion/groups/groups.h"

namespace acceld::compiler {

// A loop that does nothing but multiply the results of a reduction over processes by a number, as
// a mean over processes does; the reduction can do that itself (kernels::Collective::factor).
struct CollectiveScale {
  OpIndex loop;  // the fusion; nobody else uses the result of the reduction
  double factor;
};

// Returns the scales of the region, by reduction. `scratch` is that of RegionGraph.
absl::flat_hash_map<OpIndex, CollectiveScale> FindScaledCollectives(const ir::Function& function,
                                                                    const ir::Region& region,
                                                                    std::vector<OpIndex>& scratch);

}  // namespace acceld::compiler
