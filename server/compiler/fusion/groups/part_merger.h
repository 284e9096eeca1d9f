#pragma once

#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/types/optional.h"
#include "common/ir/module.h"
#include "server/compiler/fusion/groups/groups.h"

namespace acceld::compiler {

// Makes several ops of a region, fusions among them, one reduction fusion. Borrows all it is given,
// of which the graph is of the region as it was.
class PartMerger {
 public:
  PartMerger(ir::Function& function, ir::Region& region, const RegionGraph& graph)
      : function_(function), region_(region), graph_(graph) {}

  // Whether no part needs what others compute of the parts' results. Parts are ascending.
  bool CanMerge(const std::vector<OpIndex>& parts) const {
    return FindDependents(parts).has_value();
  }
  // The region's ops with the parts as one, at the place of the last; what depends on them comes
  // after it. Once, and where they can be merged.
  std::vector<ir::Op> Merge(const std::vector<OpIndex>& parts);

 private:
  // By position up to the last part: what others compute of the parts' results. Nothing if a part
  // needs that.
  absl::optional<std::vector<bool>> FindDependents(const std::vector<OpIndex>& parts) const;
  ir::Op Build(const std::vector<OpIndex>& parts);
  ir::ValueId NewValueLike(ir::ValueId id);
  absl::flat_hash_set<ir::ValueId> UsedOutside(const std::vector<OpIndex>& parts) const;

  ir::Function& function_;
  ir::Region& region_;
  const RegionGraph& graph_;
};

}  // namespace acceld::compiler
