#pragma once

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "common/ir/module.h"

// The working state of fusion: the ops of one region as a graph, and the groups they are put into.
namespace acceld::compiler {

using OpIndex = uint32_t;
inline constexpr OpIndex kNoOp = ~OpIndex{0};

// The ops of one region and who uses them. Uses inside nested regions count for the op that holds
// the region.
class RegionGraph {
 public:
  // `scratch` is shared by all regions of a function: by value, kNoOp everywhere, and left so.
  RegionGraph(const ir::Function& function, const ir::Region& region,
              std::vector<OpIndex>& scratch);

  const ir::Function& function() const { return function_; }
  const std::vector<ir::Op>& ops() const { return region_.ops; }
  // The op of this region that gives the value, or kNoOp.
  OpIndex DefinitionOf(ir::ValueId id) const;
  // Each user once, ascending.
  const std::vector<OpIndex>& UsersOf(OpIndex op) const { return users_[op]; }
  // Whether a result of the op is a result of the region.
  bool Escapes(OpIndex op) const { return escapes_[op]; }

 private:
  void AddUses(const ir::Op& op, OpIndex user, const std::vector<OpIndex>& definition);

  const ir::Function& function_;
  const ir::Region& region_;
  std::vector<std::vector<OpIndex>> users_;
  std::vector<bool> escapes_;
  absl::flat_hash_map<ir::ValueId, OpIndex> definition_;
};

// Ops that become one fusion. The same op may be in several groups: it is computed in each.
class Group {
 public:
  // `elements`: iterations of the loop nest.
  Group(OpIndex root, ir::FusionKind kind, int64_t elements);

  ir::FusionKind kind() const { return kind_; }
  const std::vector<OpIndex>& roots() const { return roots_; }
  const std::vector<OpIndex>& members() const { return members_; }  // unordered
  bool Contains(OpIndex op) const { return contexts_.contains(op); }
  int64_t elements() const { return elements_; }
  // Among the region's ops, where the fusion is to stand.
  OpIndex position() const { return position_; }
  // How many different element indices of `op` one iteration would ask for if it joined.
  std::vector<uint32_t> ContextsOf(const RegionGraph& graph, OpIndex op) const;
  // Whether every member reads `value` at the index of the iteration itself.
  bool ReadsInPlace(const RegionGraph& graph, OpIndex op) const;

  // Whether `op` may be computed inside: it does not repeat much work. `copy` when other places
  // compute it too.
  bool Accepts(const RegionGraph& graph, OpIndex op, bool copy) const;
  void Add(const RegionGraph& graph, OpIndex op, bool copy);
  // Takes over another loop group of the same shape; its roots become results of this one too, and
  // the whole stands at `position`.
  void Merge(const Group& other, OpIndex position);
  void Remove(OpIndex op);

 private:
  ir::FusionKind kind_;
  int64_t elements_;
  OpIndex position_;
  std::vector<OpIndex> roots_, members_;
  // By member: the contexts it is evaluated in. A context is one way to come from the iteration's
  // index to an index of the member; 0 is the iteration's own.
  absl::flat_hash_map<OpIndex, std::vector<uint32_t>> contexts_;
  mutable absl::flat_hash_map<uint64_t, uint32_t> context_ids_;
  int64_t repeated_cost_ = 0;
};

}  // namespace acceld::compiler
