#include "server/compiler/fusion/fuse.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "common/memory/allocation.h"
#include "kernels/lowering/lower.h"
#include "kernels/lowering/windows/find_scan.h"
#include "server/compiler/fusion/build_fusion.h"
#include "server/compiler/fusion/cost.h"
#include "server/compiler/fusion/groups/groups.h"
#include "server/compiler/fusion/groups/merge_loops.h"
#include "server/compiler/passes/rewriter.h"

namespace acceld::compiler {
namespace {

using ir::OpKind;

// The most copies of ops that the fusions of one region may contain, given the number of its ops.
// Without a bound, chains of ops that are copied into many tiny loops would make a large program
// many times as large.
size_t MaxCopies(size_t num_ops) { return 1000 + 4 * num_ops; }

bool HasEmptyOrNoTensor(const ir::Function& function, const ir::Op& op) {
  for (ir::ValueId id : op.results) {
    if (!function.TypeOf(id).IsTensor() || function.TensorOf(id).num_elements() == 0) return true;
  }
  for (ir::ValueId id : op.operands) {
    if (!function.TypeOf(id).IsTensor()) return true;
  }
  return false;
}

// Forms the groups of one region. It visits users before their producers, so that the groups of all
// users of an op are known when the op is visited.
class Grouper {
 public:
  Grouper(const RegionGraph& graph)
      : graph_(graph),
        groups_of_(graph.ops().size()),
        copies_left_(MaxCopies(graph.ops().size())) {}

  std::vector<Group> Run() {
    for (OpIndex i = static_cast<OpIndex>(graph_.ops().size()); i-- > 0 && MayContinue();) Place(i);
    for (Group& group : groups_) PeelReshapes(group);
    return std::move(groups_);
  }

 private:
  // Adds the op to the groups of its users, or makes it the root of a new group, or leaves it
  // ungrouped.
  void Place(OpIndex i) {
    const ir::Op& op = graph_.ops()[i];
    if (HasEmptyOrNoTensor(graph_.function(), op)) return;
    const bool constant = IsInlineConstant(op);
    const bool producer =
        op.results.size() == 1 && (constant || kernels::CanFuseAsProducer(graph_.function(), op));
    bool needs_value = graph_.Escapes(i);
    std::vector<size_t> consumers;
    for (OpIndex user : graph_.UsersOf(i)) {
      if (groups_of_[user].empty() || op.kind == OpKind::kReduce) needs_value = true;
      for (size_t group : groups_of_[user]) {
        if (std::exchange(consumed_by_[group], i) != i) consumers.push_back(group);
      }
    }
    // An op that ungrouped users read is needed as a value in memory, even if other users are
    // grouped.
    for (OpIndex user : graph_.UsersOf(i)) needs_value = needs_value || NeedsOperands(user);
    if (producer && !consumers.empty()) {
      if (constant) {
        for (size_t group : consumers) Join(group, i, false);
        return;
      }
      if (!needs_value) {
        const bool copy = IsRepeated(op, consumers);
        const size_t copies = consumers.size() - 1;
        const bool all = copies <= copies_left_ &&
                         std::all_of(consumers.begin(), consumers.end(), [&](size_t group) {
                           return groups_[group].Accepts(graph_, i, copy);
                         });
        if (all) {
          copies_left_ -= copies;
          for (size_t group : consumers) Join(group, i, copy);
          return;
        }
      } else if (ReadsNoMemory(op)) {
        for (size_t group : consumers) {
          if (groups_[group].Accepts(graph_, i, false)) Join(group, i, false);
        }
      }
    }
    MakeRoot(i, op);
  }

  // Whether computing the op inside all these groups is more work than computing it once. It is not
  // where each group reads another part of its elements, like the sum of all blocks and the sum of
  // the remainder.
  bool IsRepeated(const ir::Op& op, const std::vector<size_t>& groups) const {
    if (groups.size() == 1) return false;
    const int64_t own = graph_.function().TensorOf(op.results[0]).num_elements();
    int64_t elements = 0;
    for (size_t group : groups) elements += std::min(groups_[group].elements(), own);
    return elements > own + own / 16;
  }

  // Whether the op reads nothing from memory.
  static bool ReadsNoMemory(const ir::Op& op) { return op.kind == OpKind::kIota; }

  // Whether the op is in no group, so that it reads its operands from memory.
  bool NeedsOperands(OpIndex user) const { return groups_of_[user].empty(); }

  void MakeRoot(OpIndex i, const ir::Op& op) {
    // A reshape that is in no fusion costs nothing: it is only another name for the same bytes.
    const bool scan = IsScan(op);
    if (op.kind == OpKind::kReshape || op.kind == OpKind::kConstant ||
        (!scan && !kernels::CanFuseAsRoot(graph_.function(), op))) {
      return;
    }
    const bool reduction = op.kind == OpKind::kReduce || scan;
    const int64_t elements =
        graph_.function().TensorOf(reduction ? op.operands[0] : op.results[0]).num_elements();
    groups_of_[i].push_back(groups_.size());
    consumed_by_.push_back(kNoOp);
    groups_.emplace_back(i, reduction ? ir::FusionKind::kReduction : ir::FusionKind::kLoop,
                         elements);
  }

  bool IsScan(const ir::Op& op) const {
    if (op.kind != OpKind::kReduceWindow || op.results.size() != 1) return false;
    const OpIndex initial = graph_.DefinitionOf(op.operands[1]);
    if (initial == kNoOp || graph_.ops()[initial].kind != OpKind::kConstant) return false;
    const auto& constant = graph_.ops()[initial].As<ir::ConstantAttributes>();
    return kernels::FindWindowScan(graph_.function(), op, &constant.value).has_value();
  }

  void Join(size_t group, OpIndex i, bool copy) {
    groups_[group].Add(graph_, i, copy);
    groups_of_[i].push_back(group);
  }

  // Removes reshapes of values from outside the group: inside a fusion a reshape costs index
  // arithmetic, outside nothing.
  void PeelReshapes(Group& group) {
    std::vector<OpIndex> order = group.members();
    std::sort(order.begin(), order.end());
    for (OpIndex i : order) {
      const ir::Op& op = graph_.ops()[i];
      if (op.kind != OpKind::kReshape) continue;
      const OpIndex source = graph_.DefinitionOf(op.operands[0]);
      if (source == kNoOp || !group.Contains(source)) group.Remove(i);
    }
  }

  const RegionGraph& graph_;
  std::vector<Group> groups_;
  std::vector<std::vector<size_t>> groups_of_;
  std::vector<OpIndex> consumed_by_;  // by group: the op that was placed last of those it uses
  size_t copies_left_;
};

void FuseRegion(ir::Function& function, ir::Region& region, std::vector<OpIndex>& scratch) {
  for (ir::Op& op : region.ops) {
    if (!IsControlFlow(op.kind)) continue;
    for (ir::Region& inner : op.regions) FuseRegion(function, inner, scratch);
  }
  std::vector<ir::Op> fused;
  {
    const RegionGraph graph(function, region, scratch);
    std::vector<Group> groups = Grouper(graph).Run();
    groups = MergeLoops(graph, std::move(groups));
    fused = BuildFusions(graph, groups, function.value_types);
  }
  region.ops = std::move(fused);
}

}  // namespace

absl::StatusOr<ir::Module> Fuse(const ir::Module& module) {
  ir::Module out = module;
  for (ir::Function& function : out.functions) {
    std::vector<OpIndex> scratch(function.value_types.size(), kNoOp);
    FuseRegion(function, function.body, scratch);
    function = Renumber(std::move(function));
  }
  ACCELD_RETURN_IF_ERROR(CheckNumOps(out));
  return out;
}

}  // namespace acceld::compiler
