#include "server/compiler/fusion/groups/merge_loops.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "common/check.h"
#include "common/memory/allocation.h"

namespace acceld::compiler {
namespace {

constexpr size_t kMaxRoots = 8;
// With how many other readers of the same value a group is tried.
constexpr int kMaxCandidates = 8;
// With how many groups that read it a group is tried.
constexpr int kMaxConsumers = 256;

class LoopMerger {
 public:
  LoopMerger(const RegionGraph& graph, std::vector<Group> groups)
      : graph_(graph),
        groups_(std::move(groups)),
        dead_(groups_.size()),
        groups_of_(graph.ops().size()) {
    std::sort(groups_.begin(), groups_.end(),
              [](const Group& a, const Group& b) { return a.position() < b.position(); });
    for (size_t g = 0; g < groups_.size(); ++g) {
      for (OpIndex op : groups_[g].members()) groups_of_[op].push_back(g);
    }
  }

  std::vector<Group> Run() {
    for (size_t g = 0; g < groups_.size(); ++g) {
      if (groups_[g].kind() == ir::FusionKind::kLoop && MayContinue()) MergeProducers(g);
    }
    for (size_t g = 0; g < groups_.size(); ++g) {
      if (groups_[g].kind() == ir::FusionKind::kLoop && !dead_[g] && MayContinue())
        MergeSiblings(g);
    }
    std::vector<Group> out;
    for (size_t g = 0; g < groups_.size(); ++g) {
      if (!dead_[g]) out.push_back(std::move(groups_[g]));
    }
    return out;
  }

 private:
  const ir::Dims& DimsOf(size_t g) const {
    const ir::Op& root = graph_.ops()[groups_[g].roots()[0]];
    return graph_.function().TensorOf(root.results[0]).dims;
  }

  std::vector<ir::ValueId> ExternalOperands(size_t g) const {
    std::vector<ir::ValueId> out;
    for (OpIndex op : groups_[g].members()) {
      for (ir::ValueId id : graph_.ops()[op].operands) {
        const OpIndex definition = graph_.DefinitionOf(id);
        if (definition == kNoOp || !groups_[g].Contains(definition)) out.push_back(id);
      }
    }
    return out;
  }

  // Whether the value is defined before `position`.
  bool IsReadyBefore(ir::ValueId id, OpIndex position) const {
    const OpIndex definition = graph_.DefinitionOf(id);
    if (definition == kNoOp) return true;
    for (size_t g : groups_of_[definition]) {
      const auto& roots = groups_[g].roots();
      if (!dead_[g] && std::find(roots.begin(), roots.end(), definition) != roots.end()) {
        return groups_[g].position() < position;
      }
    }
    return definition < position;
  }

  // Whether the first group can be moved down to the second: no op in between uses its results.
  bool CanMoveDown(size_t first, size_t second) const {
    const OpIndex from = groups_[first].position(), to = groups_[second].position();
    for (OpIndex root : groups_[first].roots()) {
      for (OpIndex user : graph_.UsersOf(root)) {
        // The user may be ungrouped, or in one or more groups.
        bool grouped = false;
        for (size_t g : groups_of_[user]) {
          if (dead_[g]) continue;
          grouped = true;
          if (g == first || g == second) continue;
          if (groups_[g].position() > from && groups_[g].position() < to) return false;
        }
        if (!grouped && user < to) return false;
      }
    }
    return true;
  }

  // Whether the second group can be moved up to the first: its operands are defined before, or are
  // results of the first.
  bool CanMoveUp(size_t first, size_t second) const {
    const OpIndex to = groups_[first].position();
    for (ir::ValueId id : ExternalOperands(second)) {
      const OpIndex definition = graph_.DefinitionOf(id);
      if (definition != kNoOp && groups_[first].Contains(definition)) {
        const auto& roots = groups_[first].roots();
        if (std::find(roots.begin(), roots.end(), definition) != roots.end()) continue;
      }
      if (!IsReadyBefore(id, to)) return false;
    }
    return true;
  }

  bool TryMerge(size_t a, size_t b) {
    if (a == b || dead_[a] || dead_[b]) return false;
    if (groups_[a].position() > groups_[b].position()) std::swap(a, b);
    Group& first = groups_[a];
    Group& second = groups_[b];
    if (first.kind() != ir::FusionKind::kLoop || second.kind() != ir::FusionKind::kLoop ||
        first.roots().size() + second.roots().size() > kMaxRoots || !first.FitsWith(second) ||
        DimsOf(a) != DimsOf(b)) {
      return false;
    }
    // The second may read results of the first only at the index of the iteration itself.
    for (OpIndex root : first.roots()) {
      const std::vector<uint32_t> contexts = second.ContextsOf(graph_, root);
      if (!contexts.empty() && contexts != std::vector<uint32_t>{0}) return false;
    }
    OpIndex position = second.position();
    if (!CanMoveDown(a, b)) {
      if (!CanMoveUp(a, b)) return false;
      position = first.position();
    }
    for (OpIndex op : first.members()) {
      if (!second.Contains(op)) groups_of_[op].push_back(b);
    }
    second.Merge(first, position);
    dead_[a] = true;
    return true;
  }

  void MergeProducers(size_t g) {
    // Copied: a merge changes the group.
    const std::vector<OpIndex> roots = groups_[g].roots();
    int tried = 0;
    for (OpIndex root : roots) {
      for (OpIndex user : graph_.UsersOf(root)) {
        const std::vector<size_t> consumers = groups_of_[user];
        for (size_t consumer : consumers) {
          if (++tried > kMaxConsumers || TryMerge(g, consumer)) return;
        }
      }
    }
  }

  void MergeSiblings(size_t g) {
    for (ir::ValueId id : ExternalOperands(g)) {
      std::vector<size_t>& readers = readers_[id];
      bool merged = false;
      int tried = 0;
      for (size_t i = readers.size(); i-- > 0 && tried < kMaxCandidates && !merged; ++tried) {
        merged = TryMerge(readers[i], g);
      }
      // After a merge only one of the two groups exists; it may be the other one.
      if (dead_[g]) return;
      if (readers.empty() || readers.back() != g) readers.push_back(g);
    }
  }

  const RegionGraph& graph_;
  std::vector<Group> groups_;
  std::vector<bool> dead_;
  std::vector<std::vector<size_t>> groups_of_;  // by op
  absl::flat_hash_map<ir::ValueId, std::vector<size_t>> readers_;
};

}  // namespace

std::vector<Group> MergeLoops(const RegionGraph& graph, std::vector<Group> groups) {
  return LoopMerger(graph, std::move(groups)).Run();
}

}  // namespace acceld::compiler
