#include "server/compiler/fusion/groups/groups.h"

#include <algorithm>
#include <iterator>

#include "common/check.h"
#include "server/compiler/fusion/cost.h"
#include "server/compiler/passes/rewriter.h"

namespace acceld::compiler {
namespace {

// Bounds on one fusion: code size, registers, and how much may be computed twice. The first is for
// ops that cost something, where an op counts once for each context.
constexpr size_t kMaxComputed = 384;
constexpr size_t kMaxMembers = 512;
constexpr size_t kMaxContexts = 4;
constexpr int64_t kMaxRepeatedCost = 12;
// A loop of at most this many iterations costs less than the launch of another kernel.
constexpr int64_t kTinyLoop = 1024;
// The context that stands for all contexts (other than 0) of a group that was merged into this one.
constexpr uint32_t kForeignContext = ~uint32_t{0};

}  // namespace

RegionGraph::RegionGraph(const ir::Function& function, const ir::Region& region,
                         std::vector<OpIndex>& scratch)
    : function_(function), region_(region) {
  users_.resize(region.ops.size());
  escapes_.assign(region.ops.size(), false);
  for (OpIndex i = 0; i < region.ops.size(); ++i) {
    for (ir::ValueId id : region.ops[i].results) {
      scratch[id] = i;
      definition_[id] = i;
    }
  }
  for (OpIndex i = 0; i < region.ops.size(); ++i) AddUses(region.ops[i], i, scratch);
  for (ir::ValueId id : region.results) {
    if (scratch[id] != kNoOp) escapes_[scratch[id]] = true;
  }
  for (const ir::Op& op : region.ops) {
    for (ir::ValueId id : op.results) scratch[id] = kNoOp;
  }
}

void RegionGraph::AddUses(const ir::Op& op, OpIndex user, const std::vector<OpIndex>& definition) {
  const auto use = [&](ir::ValueId id) {
    // Values that were made while inner regions were fused are not in the table. They are used only
    // inside those regions.
    const OpIndex def = id < definition.size() ? definition[id] : kNoOp;
    if (def == kNoOp || def == user) return;
    if (users_[def].empty() || users_[def].back() != user) users_[def].push_back(user);
  };
  for (ir::ValueId id : op.operands) use(id);
  for (const ir::Region& region : op.regions) {
    for (const ir::Op& inner : region.ops) AddUses(inner, user, definition);
    for (ir::ValueId id : region.results) use(id);
  }
}

OpIndex RegionGraph::DefinitionOf(ir::ValueId id) const {
  const auto it = definition_.find(id);
  return it == definition_.end() ? kNoOp : it->second;
}

Group::Group(OpIndex root, ir::FusionKind kind, int64_t elements)
    : kind_(kind), elements_(elements), position_(root), roots_{root}, members_{root} {
  contexts_[root] = {0};
}

std::vector<OpIndex> Group::UsersIn(const RegionGraph& graph, OpIndex op) const {
  const std::vector<OpIndex>& users = graph.UsersOf(op);
  std::vector<OpIndex> inside;
  if (users.size() <= members_.size()) {
    std::copy_if(users.begin(), users.end(), std::back_inserter(inside),
                 [&](OpIndex user) { return contexts_.contains(user); });
  } else {
    std::copy_if(members_.begin(), members_.end(), std::back_inserter(inside), [&](OpIndex member) {
      return std::binary_search(users.begin(), users.end(), member);
    });
    std::sort(inside.begin(), inside.end());
  }
  return inside;
}

std::vector<uint32_t> Group::ContextsOf(const RegionGraph& graph, OpIndex op) const {
  std::vector<uint32_t> contexts;
  for (OpIndex user : UsersIn(graph, op)) {
    const auto it = contexts_.find(user);
    const ir::Op& consumer = graph.ops()[user];
    for (size_t i = 0; i < consumer.operands.size(); ++i) {
      if (graph.DefinitionOf(consumer.operands[i]) != op) continue;
      // A reduce_window that is a member is a scan, which reads each element once, as reductions
      // do. A scalar operand of an elementwise op has the same value at every index.
      const bool same_index =
          consumer.kind == ir::OpKind::kReduce || consumer.kind == ir::OpKind::kReduceWindow ||
          (IsPointwise(consumer) && graph.function().TensorOf(consumer.operands[i]).dims ==
                                        graph.function().TensorOf(consumer.results[0]).dims);
      for (uint32_t context : it->second) {
        uint32_t own = context;
        if (!same_index) {
          const uint64_t key = (uint64_t{user} << 36) ^ (uint64_t{context} << 16) ^ i;
          own = context_ids_.try_emplace(key, static_cast<uint32_t>(context_ids_.size() + 1))
                    .first->second;
        }
        if (std::find(contexts.begin(), contexts.end(), own) == contexts.end()) {
          contexts.push_back(own);
        }
        if (contexts.size() > 4 * kMaxContexts) return contexts;
      }
    }
  }
  return contexts;
}

bool Group::ReadsInPlace(const RegionGraph& graph, OpIndex op) const {
  return ContextsOf(graph, op) == std::vector<uint32_t>{0};
}

bool Group::Accepts(const RegionGraph& graph, OpIndex op, bool copy) const {
  const ir::Op& candidate = graph.ops()[op];
  if (IsInlineConstant(candidate)) return true;
  const int64_t cost = CostOf(graph.function(), candidate);
  if (members_.size() >= kMaxMembers) return false;
  const auto contexts = static_cast<int64_t>(ContextsOf(graph, op).size());
  // Index arithmetic and conversions may be repeated, up to a limit.
  if (cost == 0) return contexts <= static_cast<int64_t>(2 * kMaxContexts);
  if (num_computed_ + static_cast<size_t>(contexts) > kMaxComputed) return false;
  if (contexts > static_cast<int64_t>(kMaxContexts)) return false;
  if (!Repeats(graph, op, contexts, copy)) return true;
  if (elements_ <= kTinyLoop && repeated_cost_ + cost * contexts <= 8 * kMaxRepeatedCost) {
    return true;
  }
  return repeated_cost_ + cost * std::max<int64_t>(contexts, 1) <= kMaxRepeatedCost;
}

// Several contexts may be different parts of the op's result, like the two halves of random bits of
// which one fusion makes two coordinates. Then nothing is computed twice.
bool Group::Repeats(const RegionGraph& graph, OpIndex op, int64_t contexts, bool copy) const {
  const int64_t own = graph.function().TensorOf(graph.ops()[op].results[0]).num_elements();
  return copy || elements_ > own / std::max<int64_t>(1, contexts);
}

void Group::Add(const RegionGraph& graph, OpIndex op, bool copy) {
  std::vector<uint32_t> contexts = ContextsOf(graph, op);
  const auto num_contexts = static_cast<int64_t>(contexts.size());
  const int64_t cost = CostOf(graph.function(), graph.ops()[op]);
  if (Repeats(graph, op, num_contexts, copy)) {
    repeated_cost_ += cost * std::max<int64_t>(1, num_contexts);
  }
  if (cost > 0) num_computed_ += contexts.size();
  members_.push_back(op);
  contexts_[op] = std::move(contexts);
}

bool Group::FitsWith(const Group& other) const {
  return members_.size() + other.members_.size() <= kMaxMembers &&
         num_computed_ + other.num_computed_ <= kMaxComputed;
}

void Group::Merge(const Group& other, OpIndex position) {
  ACCELD_CHECK(kind_ == ir::FusionKind::kLoop && other.kind_ == kind_);
  for (OpIndex op : other.members_) {
    const auto& theirs = other.contexts_.find(op)->second;
    const bool same_index = theirs == std::vector<uint32_t>{0};
    auto [it, added] = contexts_.try_emplace(op);
    if (added) members_.push_back(op);
    if (it->second == std::vector<uint32_t>{0} && same_index) continue;
    it->second = {same_index && added ? 0 : kForeignContext};
  }
  for (OpIndex root : other.roots_) {
    if (std::find(roots_.begin(), roots_.end(), root) == roots_.end()) roots_.push_back(root);
  }
  std::sort(roots_.begin(), roots_.end());
  repeated_cost_ += other.repeated_cost_;
  num_computed_ += other.num_computed_;
  position_ = position;
}

void Group::Remove(OpIndex op) {
  members_.erase(std::find(members_.begin(), members_.end(), op));
  contexts_.erase(op);
}

}  // namespace acceld::compiler
