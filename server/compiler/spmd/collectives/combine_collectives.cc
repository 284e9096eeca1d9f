#include "server/compiler/spmd/collectives/combine_collectives.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <queue>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "server/compiler/passes/cleanup/effects.h"
#include "server/compiler/passes/rewriter.h"
#include "server/compiler/spmd/neutral_element.h"

namespace acceld::compiler::spmd {
namespace {

using ir::OpKind;
using ir::ValueId;

// The results of one combined op have no more bytes than this, unless one of them alone has. Larger
// ones cost little more each on its own, and could begin earlier. The results of all_gathers are
// larger than what the processes have of them, so that few of them shall be alive at a time.
constexpr int64_t kMaxReducedBytes = int64_t{32} << 20;
constexpr int64_t kMaxGatheredBytes = int64_t{1} << 20;

// Calls `visit` for each value that the op or its regions use; also for those that the regions
// define.
void ForEachUse(const ir::Op& op, const std::function<void(ValueId)>& visit) {
  for (const ValueId id : op.operands) visit(id);
  for (const ir::Region& region : op.regions) {
    for (const ValueId id : region.results) visit(id);
    for (const ir::Op& inner : region.ops) ForEachUse(inner, visit);
  }
}

// Whether the op adds values up along groups and has one operand.
bool IsSum(const ir::Op& op) {
  return op.kind == OpKind::kAllReduce && op.operands.size() == 1 &&
         CombinerOf(op.regions[0]) == OpKind::kAdd;
}

// Replaces sums of all_reduces. Recurses, as all functions here do, as deep as regions nest, which
// the verifier has bounded.
class SumCombiner {
 public:
  SumCombiner(ir::Function& function, std::vector<int>& num_uses)
      : function_(function), num_uses_(num_uses) {}

  void Run(ir::Region& region) {
    // The all_reduces of the region by their results, as indices into `ops`.
    absl::flat_hash_map<ValueId, size_t> sums;
    std::vector<ir::Op> ops;
    std::vector<bool> is_removed;
    const auto append = [&](ir::Op op) {
      if (IsSum(op)) sums[op.results[0]] = ops.size();
      ops.push_back(std::move(op));
      is_removed.push_back(false);
    };
    for (ir::Op& op : region.ops) {
      for (ir::Region& inner : op.regions) Run(inner);
      const auto a = op.operands.size() == 2 ? sums.find(op.operands[0]) : sums.end();
      const auto b = op.operands.size() == 2 ? sums.find(op.operands[1]) : sums.end();
      const bool combines = (op.kind == OpKind::kAdd || op.kind == OpKind::kSubtract) &&
                            a != sums.end() && b != sums.end() && a != b &&
                            MayCombine(ops[a->second], ops[b->second]);
      if (!combines) {
        append(std::move(op));
        continue;
      }
      ir::Op all_reduce = std::move(ops[a->second]);
      is_removed[a->second] = is_removed[b->second] = true;
      op.operands = {all_reduce.operands[0], ops[b->second].operands[0]};
      all_reduce.results = std::exchange(op.results, {NewValueLike(op.results[0])});
      all_reduce.operands = op.results;
      append(std::move(op));
      append(std::move(all_reduce));
    }
    region.ops.clear();
    for (size_t i = 0; i < ops.size(); ++i) {
      if (!is_removed[i]) region.ops.push_back(std::move(ops[i]));
    }
  }

 private:
  bool MayCombine(const ir::Op& a, const ir::Op& b) const {
    const ir::TensorType& type = function_.TensorOf(a.results[0]);
    // The ops and the all_reduce of i1 are or, for which a difference means something else.
    return a.attributes == b.attributes && type.dtype != ir::DType::kI1 &&
           function_.TensorOf(a.operands[0]).dtype == type.dtype &&
           function_.TensorOf(b.operands[0]).dtype == type.dtype && num_uses_[a.results[0]] == 1 &&
           num_uses_[b.results[0]] == 1;
  }

  ValueId NewValueLike(ValueId id) {
    function_.value_types.push_back(ir::Type(function_.value_types[id]));
    num_uses_.push_back(1);
    return static_cast<ValueId>(function_.value_types.size() - 1);
  }

  ir::Function& function_;
  std::vector<int>& num_uses_;
};

// Combines the collectives of one kind, all_reduces or all_gathers, of one region.
//
// The level of an op says how many collectives of the kind, at least, lie behind it on the longest
// path to the end, counted downwards from kLast. One has a lower level than those that depend on
// it, so those of one level are independent, and no combination of those of equal levels makes
// others depend on each other. Since they have the latest level that is possible, those whose
// results are needed at the end only come together.
class RegionCombiner {
 public:
  RegionCombiner(const ir::Function& function, const Effects& effects, OpKind kind,
                 ir::Region& region)
      : function_(function),
        effects_(effects),
        kind_(kind),
        region_(region),
        users_(region.ops.size()) {}

  void Run() {
    if (!FindGroups()) return;
    Reorder();
  }

 private:
  static constexpr int kLast = std::numeric_limits<int>::max();
  // How many groups of one level are looked at, at most, for one to which an op can be added.
  static constexpr size_t kMaxTries = 16;
  struct Group {
    std::vector<size_t> members;
    int64_t bytes = 0;
  };

  // Finds which ops use which. Ops with side effects stay in their order.
  void FindUsers() {
    absl::flat_hash_map<ValueId, size_t> definitions;
    size_t last_effect = region_.ops.size();
    for (size_t i = 0; i < region_.ops.size(); ++i) {
      const ir::Op& op = region_.ops[i];
      ForEachUse(op, [&](ValueId id) {
        const auto found = definitions.find(id);
        if (found != definitions.end()) users_[found->second].push_back(i);
      });
      if (effects_.Has(op)) {
        if (last_effect < i) users_[last_effect].push_back(i);
        last_effect = i;
      }
      for (const ValueId id : op.results) definitions[id] = i;
    }
  }

  // Returns whether any collectives can be combined.
  bool FindGroups() {
    const auto is_candidate = [this](const ir::Op& op) {
      return op.kind == kind_ && (op.regions.empty() || CombinerOf(op.regions[0]).has_value());
    };
    if (std::count_if(region_.ops.begin(), region_.ops.end(), is_candidate) < 2) return false;
    FindUsers();
    std::vector<int> levels(region_.ops.size(), kLast);
    for (size_t i = region_.ops.size(); i-- > 0;) {
      for (const size_t user : users_[i]) {
        const bool is_step = is_candidate(region_.ops[user]);
        levels[i] = std::min(levels[i], is_step ? levels[user] - 1 : levels[user]);
      }
    }
    group_of_.assign(region_.ops.size(), -1);
    for (size_t i = 0; i < region_.ops.size(); ++i) {
      if (is_candidate(region_.ops[i])) AddToGroup(i, levels[i]);
    }
    return std::any_of(groups_.begin(), groups_.end(),
                       [](const Group& group) { return group.members.size() > 1; });
  }

  void AddToGroup(size_t number, int level) {
    const ir::Op& op = region_.ops[number];
    const int64_t max_bytes = kind_ == OpKind::kAllGather ? kMaxGatheredBytes : kMaxReducedBytes;
    int64_t bytes = 0;
    for (const ValueId id : op.results) bytes += function_.TensorOf(id).size_bytes();
    std::vector<size_t>& groups = groups_of_level_[level];
    for (size_t tries = 0; tries < std::min(kMaxTries, groups.size()); ++tries) {
      const size_t found = groups[groups.size() - 1 - tries];
      Group& group = groups_[found];
      if (group.bytes + bytes > max_bytes) continue;
      if (!CombineAlike(region_.ops[group.members[0]], op)) continue;
      group.members.push_back(number);
      group.bytes += bytes;
      group_of_[number] = static_cast<int>(found);
      return;
    }
    groups.push_back(groups_.size());
    group_of_[number] = static_cast<int>(groups_.size());
    groups_.push_back({{number}, bytes});
  }

  // Whether two collectives combine elements of the same type in the same way, along equal groups.
  bool CombineAlike(const ir::Op& a, const ir::Op& b) const {
    const ir::DType dtype = function_.TensorOf(a.results[0]).dtype;
    const auto has_type = [&](ValueId id) { return function_.TensorOf(id).dtype == dtype; };
    const bool have_same_region =
        a.regions.empty() || CombinerOf(a.regions[0]) == CombinerOf(b.regions[0]);
    return a.attributes == b.attributes && have_same_region && has_type(b.results[0]) &&
           std::all_of(a.operands.begin(), a.operands.end(), has_type) &&
           std::all_of(b.operands.begin(), b.operands.end(), has_type);
  }

  // The number of the last member of the op's group, or of the op itself.
  size_t NodeOf(size_t op) const {
    return group_of_[op] < 0 ? op : groups_[static_cast<size_t>(group_of_[op])].members.back();
  }

  // Lists the ops in the order in which they stood, as far as their operands allow.
  void Reorder() {
    std::vector<int> num_missing(region_.ops.size());
    for (const std::vector<size_t>& users : users_) {
      for (const size_t user : users) ++num_missing[NodeOf(user)];
    }
    std::priority_queue<size_t, std::vector<size_t>, std::greater<>> ready;
    for (size_t i = 0; i < region_.ops.size(); ++i) {
      if (NodeOf(i) == i && num_missing[i] == 0) ready.push(i);
    }
    std::vector<ir::Op> ops;
    while (!ready.empty()) {
      const size_t number = ready.top();
      ready.pop();
      const std::vector<size_t> members =
          group_of_[number] < 0 ? std::vector<size_t>{number}
                                : groups_[static_cast<size_t>(group_of_[number])].members;
      ops.push_back(Combined(members));
      for (const size_t member : members) {
        for (const size_t user : users_[member]) {
          if (--num_missing[NodeOf(user)] == 0) ready.push(NodeOf(user));
        }
      }
    }
    region_.ops = std::move(ops);
  }

  ir::Op Combined(const std::vector<size_t>& members) {
    ir::Op combined = std::move(region_.ops[members.back()]);
    if (members.size() == 1) return combined;
    std::vector<ValueId> operands, results;
    for (const size_t member : members) {
      const ir::Op& op = member == members.back() ? combined : region_.ops[member];
      operands.insert(operands.end(), op.operands.begin(), op.operands.end());
      results.insert(results.end(), op.results.begin(), op.results.end());
    }
    combined.operands = std::move(operands);
    combined.results = std::move(results);
    return combined;
  }

  const ir::Function& function_;
  const Effects& effects_;
  const OpKind kind_;
  ir::Region& region_;
  std::vector<std::vector<size_t>> users_;  // by op
  std::vector<int> group_of_;               // by op: an index into groups_, or -1
  std::vector<Group> groups_;
  absl::flat_hash_map<int, std::vector<size_t>> groups_of_level_;  // indices into groups_
};

void CombineIn(const ir::Function& function, const Effects& effects, ir::Region& region) {
  for (ir::Op& op : region.ops) {
    if (!IsControlFlow(op.kind)) continue;
    for (ir::Region& inner : op.regions) CombineIn(function, effects, inner);
  }
  for (const OpKind kind : {OpKind::kAllReduce, OpKind::kAllGather}) {
    RegionCombiner(function, effects, kind, region).Run();
  }
}

}  // namespace

ir::Module CombineCollectives(ir::Module module) {
  const Effects effects(module);
  for (ir::Function& function : module.functions) {
    std::vector<int> num_uses(function.value_types.size());
    const auto count = [&](ValueId id) { ++num_uses[id]; };
    for (const ir::Op& op : function.body.ops) ForEachUse(op, count);
    for (const ValueId id : function.body.results) count(id);
    SumCombiner(function, num_uses).Run(function.body);
    CombineIn(function, effects, function.body);
    function = Renumber(std::move(function));
  }
  return module;
}

}  // namespace acceld::compiler::spmd
