#pragma once

#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/types/optional.h"
#include "common/ir/module.h"
#include "server/compiler/fusion/groups/groups.h"

namespace acceld::compiler {

// Merges several ops of a region (the parts), which may be fusions themselves, into one fusion of
// kind kReduction. Keeps references to the function, the region and its graph. Thread-compatible.
class PartMerger {
 public:
  // `graph` is the graph of `region`, which is a region of `function`.
  PartMerger(ir::Function& function, ir::Region& region, const RegionGraph& graph)
      : function_(function), region_(region), graph_(graph) {}

  // Whether the parts can be merged without a cycle: no part depends on an op outside that depends
  // on a part. `parts` is ascending.
  bool CanMerge(const std::vector<OpIndex>& parts) const {
    return FindDependents(parts).has_value();
  }
  // Returns the region's ops with the merged parts at the position of the last part. Ops before
  // that position that depend on the parts are moved after it. CanMerge(parts) must be true. The
  // ops are moved out of the region, so the merger cannot be used again.
  std::vector<ir::Op> Merge(const std::vector<OpIndex>& parts);

 private:
  // For each op up to the last part: whether it is not a part and depends on one. Returns nullopt
  // if a part depends on one of these ops.
  absl::optional<std::vector<bool>> FindDependents(const std::vector<OpIndex>& parts) const;
  // Returns the fusion. Moves the parts out of the region.
  ir::Op Build(const std::vector<OpIndex>& parts);
  // Adds a value of the same type to the function.
  ir::ValueId NewValueLike(ir::ValueId id);
  // Returns the values that the region's results and its ops other than the parts use.
  absl::flat_hash_set<ir::ValueId> UsedOutside(const std::vector<OpIndex>& parts) const;

  ir::Function& function_;
  ir::Region& region_;
  const RegionGraph& graph_;
};

}  // namespace acceld::compiler
