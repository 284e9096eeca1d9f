#include "server/compiler/spmd/propagate.h"

#include <algorithm>
#include <numeric>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/types/optional.h"
#include "server/compiler/passes/rewriter.h"
#include "server/compiler/spmd/factor_axes.h"
#include "server/compiler/spmd/manual_region.h"

namespace acceld::compiler::spmd {
namespace {

using ir::OpKind;
using ir::ValueId;

// How many times the program is walked through, in both directions, at most. Each walk carries
// layouts past all ops in its direction, so that few are needed.
constexpr int kMaxWalks = 8;

// The layout of a value while it may still be divided further.
struct State {
  Layout layout;
  // By dimension: the program has fixed its axes, or will fix them in a later round.
  std::vector<bool> is_closed, is_withheld;
  Axes reserved;  // that the value must not be divided along
};

class Propagator {
 public:
  Propagator(const ir::Module& module, const ir::Function& function, const CanonicalMesh& mesh,
             const FactorRules& rules)
      : module_(module),
        function_(function),
        mesh_(mesh),
        rules_(rules),
        states_(function.value_types.size()),
        joined_to_(function.value_types.size()) {
    std::iota(joined_to_.begin(), joined_to_.end(), 0);
    JoinGroups();
    for (size_t i = 0; i < states_.size(); ++i) {
      const ir::Type& type = function.value_types[i];
      const int64_t rank = type.IsTensor() ? type.tensor().rank() : 0;
      states_[i].layout = Layout::Replicated(rank);
      states_[i].is_closed.assign(static_cast<size_t>(rank), false);
      states_[i].is_withheld.assign(static_cast<size_t>(rank), false);
    }
  }

  std::vector<Layout> Run() {
    // Dimensions of one priority after the other, the highest one first.
    absl::optional<int64_t> priority = 0;
    while (priority.has_value()) {
      priority_ = *priority;
      next_priority_.reset();
      Fix(function_.body.parameters, function_.parameter_shardings);
      Fix(function_.body.results, function_.result_shardings);
      FixOps(function_.body);
      // What a broadcast makes larger is cheap to compute in any layout, so the layouts of what it
      // is used with come first.
      for (const bool follows_broadcasts : {false, true}) {
        follows_broadcasts_ = follows_broadcasts;
        Walk();
      }
      priority = next_priority_;
    }
    std::vector<Layout> layouts;
    for (ValueId id = 0; id < states_.size(); ++id) layouts.push_back(StateOf(id).layout);
    return layouts;
  }

 private:
  // Values of one sharding group have one state.
  void JoinGroups() {
    absl::flat_hash_map<int64_t, ValueId> first_of;  // by the number of the group
    ForEachOp(function_.body, [&](const ir::Op& op) {
      if (op.kind != OpKind::kShardingGroup || !function_.TypeOf(op.operands[0]).IsTensor()) return;
      const int64_t group = op.As<ir::ShardingGroupAttributes>().group_id;
      const ValueId value = StateNumber(op.operands[0]);
      const ValueId first = StateNumber(first_of.emplace(group, value).first->second);
      if (function_.TensorOf(first).dims == function_.TensorOf(value).dims) {
        joined_to_[value] = first;
      }
    });
  }

  ValueId StateNumber(ValueId id) {
    while (joined_to_[id] != id) id = joined_to_[id] = joined_to_[joined_to_[id]];
    return id;
  }

  State& StateOf(ValueId id) { return states_[StateNumber(id)]; }

  void Walk() {
    for (int walk = 0; walk < kMaxWalks; ++walk) {
      changed_ = false;
      Forward(function_.body);
      Backward(function_.body);
      if (!changed_) break;
    }
  }

  // Gives a value the layout that the program says, as far as it has the current priority. Axes
  // that do not divide a dimension are left out.
  void Fix(ValueId id, const ir::Sharding& sharding, const Axes& manual = {}) {
    if (!function_.TypeOf(id).IsTensor()) return;
    const ir::TensorType& type = function_.TensorOf(id);
    State& state = StateOf(id);
    const Layout layout = mesh_.LayoutOf(sharding, module_.meshes, type.rank());
    for (size_t i = 0; i < sharding.dimensions.size(); ++i) {
      const int64_t priority = sharding.dimensions[i].priority;
      state.is_withheld[i] = priority > priority_;
      if (priority > priority_) {
        next_priority_ = std::min(priority, next_priority_.value_or(priority));
      }
      if (priority != priority_) continue;
      Axes axes;
      for (const int axis : layout.dimensions[i]) {
        const bool is_manual = std::find(manual.begin(), manual.end(), axis) != manual.end();
        if (!is_manual) axes.push_back(axis);
      }
      const auto uses = [&](int axis) { return state.layout.Uses(axis); };
      const bool fits =
          type.dims[i] % mesh_.SizeOf(axes) == 0 && std::none_of(axes.begin(), axes.end(), uses);
      if (fits && state.layout.dimensions[i].empty()) state.layout.dimensions[i] = axes;
      state.is_closed[i] = state.is_closed[i] || sharding.dimensions[i].is_closed;
    }
    if (priority_ > 0) return;
    const ir::Mesh& own = module_.meshes[static_cast<size_t>(sharding.mesh)];
    for (const auto* axes : {&sharding.replicated, &sharding.unreduced}) {
      const Axes more = mesh_.AxesOf(*axes, own);
      state.reserved.insert(state.reserved.end(), more.begin(), more.end());
    }
  }

  void Fix(const std::vector<ValueId>& ids,
           const std::vector<std::optional<ir::Sharding>>& shardings) {
    for (size_t i = 0; i < shardings.size(); ++i) {
      if (shardings[i].has_value()) Fix(ids[i], *shardings[i]);
    }
  }

  // Recurses, as the functions below do, as deep as regions nest, which the verifier has bounded.
  void FixOps(const ir::Region& region) {
    for (const ir::Op& op : region.ops) {
      if (op.kind == OpKind::kShardingConstraint) {
        Fix(op.results[0], op.As<ir::ShardingConstraintAttributes>().sharding, manual_);
      } else if (op.kind == OpKind::kManualComputation) {
        const auto& attributes = op.As<ir::ManualComputationAttributes>();
        for (size_t i = 0; i < op.results.size(); ++i) {
          Fix(op.results[i], attributes.out_shardings[i], manual_);
        }
        FixInside(op);
      }
      for (const ValueId id : op.results) Reserve(id, manual_);
      if (op.kind == OpKind::kManualComputation) continue;
      for (const ir::Region& inner : op.regions) {
        for (const ValueId id : inner.parameters) Reserve(id, manual_);
        FixOps(inner);
      }
    }
  }

  void Reserve(ValueId id, const Axes& axes) {
    if (priority_ > 0) return;
    Axes& reserved = StateOf(id).reserved;
    reserved.insert(reserved.end(), axes.begin(), axes.end());
  }

  // Fixes the values inside of a manual computation, unless all axes are manual there.
  void FixInside(const ir::Op& op) {
    const Axes axes = ManualAxes(module_, op, mesh_);
    if (AreAllManual(manual_, axes, mesh_)) return;
    partly_manual_.insert(&op);
    const auto& attributes = op.As<ir::ManualComputationAttributes>();
    const ir::Region& region = op.regions[0];
    const size_t num_outside = manual_.size();
    manual_.insert(manual_.end(), axes.begin(), axes.end());
    for (size_t i = 0; i < region.parameters.size(); ++i) {
      Fix(region.parameters[i], attributes.in_shardings[i], manual_);
      Reserve(region.parameters[i], manual_);
    }
    FixOps(region);
    manual_.resize(num_outside);
  }

  // Divides a dimension along the axes that it lacks: those of `axes` behind the ones it has.
  // Returns at the first axis that cannot be used.
  void Extend(ValueId id, size_t dimension, const Axes& axes) {
    State& state = StateOf(id);
    Axes& own = state.layout.dimensions[dimension];
    if (state.is_closed[dimension] || state.is_withheld[dimension] || own.size() >= axes.size())
      return;
    if (!std::equal(own.begin(), own.end(), axes.begin())) return;
    const int64_t size = function_.TensorOf(id).dims[dimension];
    for (size_t i = own.size(); i < axes.size(); ++i) {
      const bool is_reserved =
          std::find(state.reserved.begin(), state.reserved.end(), axes[i]) != state.reserved.end();
      if (is_reserved || state.layout.Uses(axes[i]) ||
          size % (mesh_.SizeOf(own) * mesh_.SizeOf(axes[i])) != 0) {
        return;
      }
      own.push_back(axes[i]);
      changed_ = true;
    }
  }

  void Extend(ValueId id, const Layout& layout) {
    for (size_t i = 0; i < layout.dimensions.size(); ++i) Extend(id, i, layout.dimensions[i]);
  }

  // Lets two values that are the same have the same layout.
  void Link(ValueId a, ValueId b) {
    if (!function_.TypeOf(a).IsTensor()) return;
    Extend(b, Layout(StateOf(a).layout));
    Extend(a, Layout(StateOf(b).layout));
  }

  void Link(const std::vector<ValueId>& a, const std::vector<ValueId>& b) {
    for (size_t i = 0; i < a.size() && i < b.size(); ++i) Link(a[i], b[i]);
  }

  void Forward(const ir::Region& region) {
    for (const ir::Op& op : region.ops) {
      Visit(op);
      if (!HasValues(op)) continue;
      for (const ir::Region& inner : op.regions) Forward(inner);
      Visit(op);
    }
  }

  void Backward(const ir::Region& region) {
    for (auto op = region.ops.rbegin(); op != region.ops.rend(); ++op) {
      Visit(*op);
      if (!HasValues(*op)) continue;
      for (auto inner = op->regions.rbegin(); inner != op->regions.rend(); ++inner) {
        Backward(*inner);
      }
      Visit(*op);
    }
  }

  // Whether the values in the regions of the op have layouts.
  bool HasValues(const ir::Op& op) const {
    return IsControlFlow(op.kind) || partly_manual_.contains(&op);
  }

  void Visit(const ir::Op& op) {
    switch (op.kind) {
      case OpKind::kWhile:
        for (const ir::Region& region : op.regions) Link(op.operands, region.parameters);
        Link(op.regions[1].results, op.results);
        Link(op.operands, op.results);
        Link(op.regions[1].parameters, op.results);
        return;
      case OpKind::kCase:
      case OpKind::kIf:
        for (const ir::Region& region : op.regions) Link(region.results, op.results);
        return;
      case OpKind::kShardingConstraint:
      case OpKind::kOptimizationBarrier:
        Link(op.operands, op.results);
        return;
      case OpKind::kManualComputation:
        VisitManualComputation(op);
        return;
      case OpKind::kShardingGroup:
        return;  // its values have one state
      default:
        VisitByRule(op);
    }
  }

  void VisitManualComputation(const ir::Op& op) {
    const auto& attributes = op.As<ir::ManualComputationAttributes>();
    for (size_t i = 0; i < op.operands.size(); ++i) {
      if (!function_.TypeOf(op.operands[i]).IsTensor()) continue;
      Extend(op.operands[i], mesh_.LayoutOf(attributes.in_shardings[i], module_.meshes,
                                            function_.TensorOf(op.operands[i]).rank()));
    }
    if (!partly_manual_.contains(&op)) return;
    const ir::Region& region = op.regions[0];
    const auto link = [&](ValueId outside, ValueId inside, const ir::Sharding& sharding) {
      LinkInside(outside, inside,
                 ManualLayout(module_, sharding, attributes.manual_axes,
                              function_.TensorOf(inside).rank(), mesh_));
    };
    for (size_t i = 0; i < op.operands.size(); ++i) {
      link(op.operands[i], region.parameters[i], attributes.in_shardings[i]);
    }
    for (size_t i = 0; i < op.results.size(); ++i) {
      link(op.results[i], region.results[i], attributes.out_shardings[i]);
    }
  }

  // Lets a value outside of a manual computation, which is divided along `manual` first, and the
  // same value inside have the same further axes.
  void LinkInside(ValueId outside, ValueId inside, const Layout& manual) {
    for (size_t i = 0; i < manual.dimensions.size(); ++i) {
      const Axes& first = manual.dimensions[i];
      const Axes& all = StateOf(outside).layout.dimensions[i];
      if (first.size() <= all.size() && std::equal(first.begin(), first.end(), all.begin())) {
        Extend(inside, i, {all.begin() + static_cast<int64_t>(first.size()), all.end()});
      }
      Axes joined = first;
      const Axes& further = StateOf(inside).layout.dimensions[i];
      joined.insert(joined.end(), further.begin(), further.end());
      Extend(outside, i, joined);
    }
  }

  // Each factor gets the longest list of axes that a tensor of the op has for it and that begins
  // like those of the others.
  void VisitByRule(const ir::Op& op) {
    const FactorRule rule = rules_.Of(op);
    if (rule.factors.empty()) return;
    FactorAxes best(rule.factors.size());
    const auto collect = [&](ValueId id, const DimensionFactors& dimensions) {
      FactorAxes projected;
      Project(StateOf(id).layout, dimensions, rule, mesh_, projected);
      for (size_t i = 0; i < best.size(); ++i) {
        const Axes& shorter = best[i].size() < projected[i].size() ? best[i] : projected[i];
        const Axes& longer = best[i].size() < projected[i].size() ? projected[i] : best[i];
        // Of lists that differ, the first stays.
        if (std::equal(shorter.begin(), shorter.end(), longer.begin())) best[i] = Axes(longer);
      }
    };
    for (size_t i = 0; i < op.operands.size(); ++i) collect(op.operands[i], rule.operands[i]);
    for (size_t i = 0; i < op.results.size(); ++i) collect(op.results[i], rule.results[i]);
    const auto apply = [&](ValueId id, const DimensionFactors& dimensions) {
      if (function_.TypeOf(id).IsTensor()) Extend(id, LayoutFor(dimensions, best, rule, mesh_));
    };
    const bool enlarges =
        op.kind == OpKind::kBroadcastInDim && function_.TensorOf(op.results[0]).num_elements() >
                                                  function_.TensorOf(op.operands[0]).num_elements();
    if (!enlarges || follows_broadcasts_) {
      for (size_t i = 0; i < op.results.size(); ++i) apply(op.results[i], rule.results[i]);
    }
    for (size_t i = 0; i < op.operands.size(); ++i) apply(op.operands[i], rule.operands[i]);
  }

  const ir::Module& module_;
  const ir::Function& function_;
  const CanonicalMesh& mesh_;
  const FactorRules& rules_;
  std::vector<State> states_;
  // By value: itself, or a value of its sharding group that is nearer to the one whose state all
  // values of the group share.
  std::vector<ValueId> joined_to_;
  Axes manual_;  // of the manual computations around, while FixOps visits ops
  absl::flat_hash_set<const ir::Op*> partly_manual_;  // manual computations along some axes only
  int64_t priority_ = 0;                   // of the dimensions that are fixed in this round
  absl::optional<int64_t> next_priority_;  // of the next round
  bool follows_broadcasts_ = false;        // from their operands to their results
  bool changed_ = false;
};

}  // namespace

std::vector<Layout> Propagate(const ir::Module& module, const ir::Function& function,
                              const CanonicalMesh& mesh, const FactorRules& rules) {
  return Propagator(module, function, mesh, rules).Run();
}

}  // namespace acceld::compiler::spmd
