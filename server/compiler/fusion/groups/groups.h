#pragma once

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "common/ir/module.h"

// The data structures of the fusion passes: the ops of one region as a graph, and the groups into
// which a pass puts them.
namespace acceld::compiler {

// The position of an op in the list of ops of its region, or kNoOp.
using OpIndex = uint32_t;
inline constexpr OpIndex kNoOp = ~OpIndex{0};

// The def-use graph of the ops of one region. A use inside a nested region counts as a use by the
// op of this region that contains it. Keeps references to the function and the region, which must
// not change while the graph is used. Thread-compatible.
class RegionGraph {
 public:
  // `scratch` is a table with one element for each value of the function, all kNoOp. The
  // constructor uses it and leaves it as it was, so that all regions of a function can share it.
  RegionGraph(const ir::Function& function, const ir::Region& region,
              std::vector<OpIndex>& scratch);

  const ir::Function& function() const { return function_; }
  const std::vector<ir::Op>& ops() const { return region_.ops; }
  // Returns the op of this region that defines the value, or kNoOp if the value comes from
  // elsewhere (a parameter, an enclosing region).
  OpIndex DefinitionOf(ir::ValueId id) const;
  // Returns the ops of this region that use a result of `op`, ascending and each once.
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

// Ops that are to become one fusion, that is one loop nest. The results of the roots are the
// results of the fusion; the other members are their producers. An op may be in several groups;
// then each of the fusions computes it. Thread-compatible.
class Group {
 public:
  // Makes a group of one op. `elements` is the number of iterations of the loop nest.
  Group(OpIndex root, ir::FusionKind kind, int64_t elements);

  ir::FusionKind kind() const { return kind_; }
  const std::vector<OpIndex>& roots() const { return roots_; }
  const std::vector<OpIndex>& members() const { return members_; }  // unordered
  bool Contains(OpIndex op) const { return contexts_.contains(op); }
  int64_t elements() const { return elements_; }
  // The position among the region's ops at which the fusion is to be inserted.
  OpIndex position() const { return position_; }
  // Returns the members that use a result of `op`, ascending.
  std::vector<OpIndex> UsersIn(const RegionGraph& graph, OpIndex op) const;
  // Returns the contexts (see contexts_) in which the members read `op`: one for each different
  // element of `op` that one iteration needs.
  std::vector<uint32_t> ContextsOf(const RegionGraph& graph, OpIndex op) const;
  // Whether members read `op`, and only at the index of the iteration itself.
  bool ReadsInPlace(const RegionGraph& graph, OpIndex op) const;

  // Whether `op`, a producer of members, may become a member: the group must not become too large
  // and must not repeat much work. `copy` says whether `op` is also computed elsewhere.
  bool Accepts(const RegionGraph& graph, OpIndex op, bool copy) const;
  // Makes `op` a member that is no root.
  void Add(const RegionGraph& graph, OpIndex op, bool copy);
  // Whether this group and another one together are not too large for one fusion.
  bool FitsWith(const Group& other) const;
  // Adds the members and roots of another group. Both are of kind kLoop and over the same shape.
  // `position` becomes the position of this group.
  void Merge(const Group& other, OpIndex position);
  // Removes a member that is no root.
  void Remove(OpIndex op);

 private:
  // Whether the op, as a member that is read in this many contexts, would be computed more often
  // than once for each element.
  bool Repeats(const RegionGraph& graph, OpIndex op, int64_t contexts, bool copy) const;

  ir::FusionKind kind_;
  int64_t elements_;
  OpIndex position_;
  std::vector<OpIndex> roots_, members_;
  // For each member the contexts in which it is evaluated. A context identifies one function from
  // the iteration's index to an index of the member; context 0 is the identity. A member with
  // several contexts is computed once for each in every iteration.
  absl::flat_hash_map<OpIndex, std::vector<uint32_t>> contexts_;
  // The contexts by user, context of the user, and operand number.
  mutable absl::flat_hash_map<uint64_t, uint32_t> context_ids_;
  int64_t repeated_cost_ = 0;  // of all repeated members, per iteration, in units of CostOf
  // How many ops that cost something an iteration computes, in all contexts of the members.
  size_t num_computed_ = 0;
};

}  // namespace acceld::compiler
