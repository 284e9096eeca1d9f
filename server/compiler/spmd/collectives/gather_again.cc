#include "server/compiler/spmd/collectives/gather_again.h"

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "server/compiler/passes/rewriter.h"

namespace acceld::compiler::spmd {
namespace {

using ir::OpKind;
using ir::ValueId;

// Values that wait are gathered again if they take at least this part of the memory in use. Those
// of an op that takes less than a tenth of the average wait all the same.
constexpr int64_t kMinPart = 16;
constexpr int64_t kSmallPart = 10;
// Each round looks at the place where most memory is in use, and at all ops. A network of many
// layers needs some rounds for each of them. There are at most so many for each gathered value, and
// they look at so many ops in all.
constexpr size_t kMaxRoundsOfValue = 4;
constexpr size_t kMaxOpsLookedAt = 20'000'000;

// The ops of a function's body and where its values are used, by the index of the op. What the
// regions of an op use, the op uses. The results of the function are used behind the last op.
class Body {
 public:
  explicit Body(ir::Function& function) : function_(function) { FindUses(); }

  // Gathers values again that wait at the place where most memory is in use. Returns false if they
  // are not worth it.
  //
  // The place is no all_gather, and what has waited at it does not any more. So all later uses of
  // such a value have fewer other ops between them and its all_gather than before, and no use has
  // more: this comes to an end.
  bool GatherAtPeak() {
    const std::vector<int64_t> in_use = BytesInUse();
    const auto peak = std::max_element(in_use.begin(), in_use.end());
    if (peak == in_use.end() || *peak <= 0) return false;
    const auto place = static_cast<size_t>(peak - in_use.begin());
    std::vector<size_t> gathers;
    int64_t total = 0;
    for (const size_t i : gathers_) {
      const int64_t bytes = i < place ? WaitingBytes(i, place) : 0;
      if (bytes == 0) continue;
      gathers.push_back(i);
      total += bytes;
    }
    if (total == 0 || total < *peak / kMinPart) return false;
    const int64_t small = total / static_cast<int64_t>(gathers.size()) / kSmallPart;
    std::erase_if(gathers, [&](size_t i) { return WaitingBytes(i, place) < small; });
    GatherBehind(gathers, place);
    FindUses();
    return true;
  }

 private:
  std::vector<ir::Op>& ops() { return function_.body.ops; }

  int64_t BytesOf(ValueId id) const {
    const ir::Type& type = function_.value_types[id];
    return type.IsTensor() ? type.tensor().size_bytes() : 0;
  }

  void FindUses() {
    uses_.assign(function_.value_types.size(), {});
    gathers_.clear();
    for (size_t i = 0; i < ops().size(); ++i) {
      if (ops()[i].kind == OpKind::kAllGather) gathers_.push_back(i);
      ForEachUse(ops()[i], [&](ValueId& id) { uses_[id].push_back(i); });
    }
    for (const ValueId id : function_.body.results) uses_[id].push_back(ops().size());
  }

  // Calls `visit` for each value that the op or its regions use; also for those that the regions
  // define. Recurses as deep as regions nest.
  static void ForEachUse(ir::Op& op, const std::function<void(ValueId&)>& visit) {
    for (ValueId& id : op.operands) visit(id);
    for (ir::Region& region : op.regions) {
      for (ValueId& id : region.results) visit(id);
      for (ir::Op& inner : region.ops) ForEachUse(inner, visit);
    }
  }

  // Returns the bytes of all results of ops of the body that are in use while an op runs, by op; 0
  // for all_gathers. Constants need no memory of a run.
  std::vector<int64_t> BytesInUse() {
    std::vector<int64_t> changes(ops().size() + 2);
    for (size_t i = 0; i < ops().size(); ++i) {
      if (ops()[i].kind == OpKind::kConstant) continue;
      for (const ValueId id : ops()[i].results) {
        const size_t last = uses_[id].empty() ? i : uses_[id].back();
        changes[i] += BytesOf(id);
        changes[last + 1] -= BytesOf(id);
      }
    }
    changes.resize(ops().size());
    for (size_t i = 1; i < changes.size(); ++i) changes[i] += changes[i - 1];
    for (const size_t i : gathers_) changes[i] = 0;
    return changes;
  }

  // Whether the result `id` of an all_gather waits at the op at `place`: it is used behind it and
  // not by it, and has not been used before, or other values are gathered meanwhile. Those that
  // were gathered last, of the last layer of a network for example, would be gathered again at
  // once.
  bool Waits(ValueId id, size_t gather, size_t place) const {
    const std::vector<size_t>& uses = uses_[id];
    const auto next = std::upper_bound(uses.begin(), uses.end(), place);
    if (next == uses.end()) return false;
    if (next == uses.begin()) return gather < place;
    const size_t before = *std::prev(next);
    if (before == place) return false;
    const auto other = std::upper_bound(gathers_.begin(), gathers_.end(), before);
    return other != gathers_.end() && *other < *next;
  }

  // Returns the bytes of the results of an op that wait at the op at `place`.
  int64_t WaitingBytes(size_t op, size_t place) {
    int64_t bytes = 0;
    for (const ValueId id : ops()[op].results) {
      if (Waits(id, op, place)) bytes += BytesOf(id);
    }
    return bytes;
  }

  // Adds, for each of the ops `gathers`, one that makes those of its results again that wait at
  // `place`, before the next of their uses.
  void GatherBehind(const std::vector<size_t>& gathers, size_t place) {
    std::vector<std::pair<size_t, ir::Op>> added;  // and the op before which it stands
    for (const size_t number : gathers) {
      ir::Op again = ops()[number];
      std::vector<ValueId> operands, results;
      size_t before = ops().size();
      for (size_t k = 0; k < again.results.size(); ++k) {
        const ValueId id = again.results[k];
        if (!Waits(id, number, place)) continue;
        before = std::min(before, *std::upper_bound(uses_[id].begin(), uses_[id].end(), place));
        operands.push_back(again.operands[k]);
        results.push_back(static_cast<ValueId>(function_.value_types.size()));
        function_.value_types.push_back(ir::Type(function_.value_types[id]));
        ReplaceBehind(id, results.back(), place);
      }
      again.operands = std::move(operands);
      again.results = std::move(results);
      added.emplace_back(before, std::move(again));
      KeepResultsUsedUntil(ops()[number], place);
    }
    std::stable_sort(added.begin(), added.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<ir::Op> merged;
    auto next = added.begin();
    for (size_t i = 0; i <= ops().size(); ++i) {
      for (; next != added.end() && next->first == i; ++next) merged.push_back(next->second);
      if (i == ops().size()) break;
      const bool is_empty = ops()[i].kind == OpKind::kAllGather && ops()[i].results.empty();
      if (!is_empty) merged.push_back(std::move(ops()[i]));
    }
    ops() = std::move(merged);
  }

  // Removes the results of an all_gather that are only used behind `place`, or nowhere. An op
  // without results is removed later.
  void KeepResultsUsedUntil(ir::Op& op, size_t place) {
    std::vector<ValueId> operands, results;
    for (size_t k = 0; k < op.results.size(); ++k) {
      const std::vector<size_t>& uses = uses_[op.results[k]];
      if (uses.empty() || uses.front() > place) continue;
      operands.push_back(op.operands[k]);
      results.push_back(op.results[k]);
    }
    op.operands = std::move(operands);
    op.results = std::move(results);
  }

  void ReplaceBehind(ValueId from, ValueId to, size_t place) {
    const auto replace = [&](ValueId& id) {
      if (id == from) id = to;
    };
    for (const size_t use : uses_[from]) {
      if (use <= place) continue;
      if (use < ops().size()) {
        ForEachUse(ops()[use], replace);
      } else {
        for (ValueId& id : function_.body.results) replace(id);
      }
    }
  }

  ir::Function& function_;
  std::vector<std::vector<size_t>> uses_;  // by value, in order
  std::vector<size_t> gathers_;            // the all_gathers
};

// Returns how many values are gathered in the function's body.
size_t NumGathered(const ir::Function& function) {
  size_t count = 0;
  for (const ir::Op& op : function.body.ops) {
    if (op.kind == OpKind::kAllGather) count += op.results.size();
  }
  return count;
}

}  // namespace

absl::StatusOr<ir::Module> GatherAgain(const ir::Module& module) {
  ir::Module out = module.WithoutFunctions();
  for (const ir::Function& function : module.functions) {
    const size_t num_gathered = NumGathered(function);
    if (num_gathered == 0) {
      out.functions.push_back(function);
      continue;
    }
    ir::Function changed = function;
    Body body(changed);
    const size_t max_rounds =
        std::min(kMaxRoundsOfValue * num_gathered, kMaxOpsLookedAt / changed.body.ops.size());
    for (size_t round = 0; round < max_rounds && body.GatherAtPeak(); ++round) {
    }
    out.functions.push_back(Renumber(std::move(changed)));
  }
  return out;
}

}  // namespace acceld::compiler::spmd
