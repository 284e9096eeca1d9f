#include "server/compiler/fusion/attention/fuse_attention.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "server/compiler/fusion/attention/attention.h"
#include "server/compiler/fusion/build_fusion.h"
#include "server/compiler/fusion/groups/groups.h"
#include "server/compiler/passes/rewriter.h"

namespace acceld::compiler {
namespace {

std::vector<Group> GroupAttention(const RegionGraph& graph, const codegen::Target& target) {
  std::vector<Group> groups;
  // Ops whose results no longer exist, because they are inside a group.
  std::vector<bool> inside(graph.ops().size());
  const auto is_inside = [&](ir::ValueId id) {
    const OpIndex definition = graph.DefinitionOf(id);
    return definition != kNoOp && inside[definition];
  };
  for (OpIndex i = 0; i < graph.ops().size(); ++i) {
    const absl::optional<AttentionMatch> match = MatchAttention(graph, i, target);
    if (!match.has_value() || is_inside(match->query) || is_inside(match->key) ||
        is_inside(match->value) || (match->shape.bias.has_value() && is_inside(match->bias)) ||
        std::any_of(match->masks.begin(), match->masks.end(), is_inside)) {
      continue;
    }
    for (const OpIndex op : match->owned) inside[op] = true;
    const ir::ValueId result = graph.ops()[match->last].results[0];
    Group& group = groups.emplace_back(match->last, ir::FusionKind::kAttention,
                                       graph.function().TensorOf(result).num_elements());
    for (const OpIndex member : match->members) {
      if (member != match->last) group.Add(graph, member, /*copy=*/false);
    }
  }
  return groups;
}

void FuseRegion(ir::Function& function, ir::Region& region, const codegen::Target& target,
                std::vector<OpIndex>& scratch) {
  for (ir::Op& op : region.ops) {
    if (!IsControlFlow(op.kind)) continue;
    for (ir::Region& inner : op.regions) FuseRegion(function, inner, target, scratch);
  }
  std::vector<ir::Op> fused;
  {
    const RegionGraph graph(function, region, scratch);
    const std::vector<Group> groups = GroupAttention(graph, target);
    if (groups.empty()) return;
    fused = BuildFusions(graph, groups, function.value_types);
  }
  region.ops = std::move(fused);
}

}  // namespace

absl::StatusOr<ir::Module> FuseAttention(const ir::Module& module, const codegen::Target& target) {
  ir::Module out = module;
  for (ir::Function& function : out.functions) {
    std::vector<OpIndex> scratch(function.value_types.size(), kNoOp);
    FuseRegion(function, function.body, target, scratch);
    function = Renumber(std::move(function));
  }
  return out;
}

}  // namespace acceld::compiler
