#include "server/compiler/fusion/fuse_matmuls.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "kernels/lowering/lower.h"
#include "server/compiler/fusion/build_fusion.h"
#include "server/compiler/fusion/groups/groups.h"
#include "server/compiler/fusion/matmul_chain.h"
#include "server/compiler/passes/rewriter.h"

namespace acceld::compiler {
namespace {

// Whether the only user of the op's result, reshapes aside, becomes a loop.
bool IsConsumedByLoop(const RegionGraph& graph, OpIndex op) {
  while (true) {
    if (graph.Escapes(op) || graph.UsersOf(op).size() != 1) return false;
    op = graph.UsersOf(op)[0];
    if (graph.ops()[op].kind != ir::OpKind::kReshape) break;
  }
  return kernels::CanFuseAsRoot(graph.function(), graph.ops()[op]);
}

std::vector<Group> GroupMatmuls(const RegionGraph& graph, const codegen::Target& target) {
  std::vector<Group> groups;
  std::vector<bool> taken(graph.ops().size());
  for (OpIndex i = 0; i < graph.ops().size(); ++i) {
    const absl::optional<MatmulChain> chain = MatchMatmulChain(graph, i, target);
    // Where two products are added, both chains may end at the addition: the first product gets it,
    // with the other product as addend.
    if (!chain.has_value() || chain->last == i || taken[chain->last] ||
        IsConsumedByLoop(graph, chain->last)) {
      continue;
    }
    taken[chain->last] = true;
    const ir::ValueId result = graph.ops()[chain->last].results[0];
    Group& group = groups.emplace_back(chain->last, ir::FusionKind::kMatmul,
                                       graph.function().TensorOf(result).num_elements());
    for (const OpIndex member : chain->members) {
      if (member != chain->last) group.Add(graph, member, /*copy=*/false);
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
    const std::vector<Group> groups = GroupMatmuls(graph, target);
    if (groups.empty()) return;
    fused = BuildFusions(graph, groups, function.value_types);
  }
  region.ops = std::move(fused);
}

}  // namespace

absl::StatusOr<ir::Module> FuseMatmuls(const ir::Module& module, const codegen::Target& target) {
  ir::Module out = module;
  for (ir::Function& function : out.functions) {
    std::vector<OpIndex> scratch(function.value_types.size(), kNoOp);
    FuseRegion(function, function.body, target, scratch);
    function = Renumber(std::move(function));
  }
  return out;
}

}  // namespace acceld::compiler
