#include "server/compiler/spmd/parts/choose_parts.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "server/compiler/passes/rewriter.h"
#include "server/compiler/spmd/factor_axes.h"
#include "server/compiler/spmd/manual_region.h"
#include "server/compiler/spmd/neutral_element.h"

namespace acceld::compiler::spmd {
namespace {

using ir::OpKind;
using ir::ValueId;

// Parts of one value: the axes, ascending, and what combines them.
struct Parts {
  Axes axes;
  OpKind combiner = OpKind::kAdd;

  static Parts Of(const Layout& layout) { return {layout.unreduced, layout.combiner}; }
};

// Returns what both have; parts that are combined differently have nothing in common.
Parts Common(const Parts& a, const Parts& b) {
  if (a.combiner != b.combiner) return {};
  Parts common{{}, a.combiner};
  std::set_intersection(a.axes.begin(), a.axes.end(), b.axes.begin(), b.axes.end(),
                        std::back_inserter(common.axes));
  return common;
}

// Returns what either has, or the first if they are combined differently.
Parts Either(const Parts& a, const Parts& b) {
  if (a.axes.empty()) return b;
  if (a.combiner != b.combiner) return a;
  Parts either{{}, a.combiner};
  std::set_union(a.axes.begin(), a.axes.end(), b.axes.begin(), b.axes.end(),
                 std::back_inserter(either.axes));
  return either;
}

class Chooser {
 public:
  Chooser(const ir::Module& module, const ir::Function& function, const CanonicalMesh& mesh,
          const FactorRules& rules, std::vector<Layout>& layouts)
      : module_(module),
        function_(function),
        mesh_(mesh),
        rules_(rules),
        layouts_(layouts),
        given_(layouts.size()),
        wanted_(layouts.size()) {}

  void Run() {
    Declare(function_.body.parameters, function_.parameter_shardings);
    Give(function_.body);
    // Most programs have no parts at all.
    if (!has_declarations_ && !HasParts(function_.result_shardings)) return;
    for (size_t i = 0; i < function_.body.results.size(); ++i) {
      const bool is_declared =
          i < function_.result_shardings.size() && function_.result_shardings[i].has_value();
      Want(function_.body.results[i],
           is_declared ? PartsOf(*function_.result_shardings[i]) : Parts());
    }
    Choose(function_.body);
  }

 private:
  using Shardings = std::vector<std::optional<ir::Sharding>>;

  static bool HasParts(const Shardings& shardings) {
    return std::any_of(shardings.begin(), shardings.end(),
                       [](const auto& s) { return s.has_value() && !s->unreduced.empty(); });
  }

  Parts PartsOf(const ir::Sharding& sharding) const {
    return Parts::Of(
        mesh_.LayoutOf(sharding, module_.meshes, static_cast<int64_t>(sharding.dimensions.size())));
  }

  // Keeps a value in parts. It is not divided along their axes then.
  void Set(ValueId id, const Parts& parts) {
    Layout& layout = layouts_[id];
    for (Axes& axes : layout.dimensions) {
      const auto is_part = [&](int axis) {
        return std::binary_search(parts.axes.begin(), parts.axes.end(), axis);
      };
      axes.erase(std::find_if(axes.begin(), axes.end(), is_part), axes.end());
    }
    layout = layout.WithParts(parts.axes, parts.combiner);
  }

  void Declare(ValueId id, const Parts& parts) {
    if (parts.axes.empty() || !function_.TypeOf(id).IsTensor()) return;
    has_declarations_ = true;
    given_[id] = parts;
    Set(id, parts);
  }

  void Declare(const std::vector<ValueId>& ids, const Shardings& shardings) {
    for (size_t i = 0; i < shardings.size(); ++i) {
      if (shardings[i].has_value()) Declare(ids[i], PartsOf(*shardings[i]));
    }
  }

  // Fills given_: the parts that the op of each value can give without communication. Recurses, as
  // the functions below do, as deep as regions nest, which the verifier has bounded.
  void Give(const ir::Region& region) {
    for (const ir::Op& op : region.ops) {
      switch (op.kind) {
        case OpKind::kShardingConstraint:
          Declare(op.results[0], PartsOf(op.As<ir::ShardingConstraintAttributes>().sharding));
          break;
        case OpKind::kManualComputation:
          for (size_t i = 0; i < op.results.size(); ++i) {
            Declare(op.results[i],
                    PartsOfManual(op, op.As<ir::ManualComputationAttributes>().out_shardings[i]));
          }
          break;
        case OpKind::kOptimizationBarrier:
          for (size_t i = 0; i < op.results.size(); ++i) {
            given_[op.results[i]] = given_[op.operands[i]];
          }
          break;
        case OpKind::kWhile:
          for (size_t i = 0; i < op.results.size(); ++i) {
            given_[op.regions[0].parameters[i]] = given_[op.operands[i]];
            given_[op.regions[1].parameters[i]] = given_[op.operands[i]];
            given_[op.results[i]] = given_[op.operands[i]];
          }
          GiveRegions(op);
          break;
        case OpKind::kCase:
        case OpKind::kIf:
          GiveRegions(op);
          break;
        default:
          if (op.results.size() == 1) given_[op.results[0]] = GivenByRule(op);
      }
    }
  }

  // The results of the op can be in the parts that any of its regions gives.
  void GiveRegions(const ir::Op& op) {
    for (const ir::Region& region : op.regions) {
      Give(region);
      const bool is_condition = op.kind == OpKind::kWhile && &region == &op.regions[0];
      if (is_condition) continue;
      for (size_t i = 0; i < op.results.size(); ++i) {
        Parts& given = given_[op.results[i]];
        given = Either(given, given_[region.results[i]]);
      }
    }
  }

  Parts PartsOfManual(const ir::Op& op, const ir::Sharding& sharding) const {
    const auto& axes = op.As<ir::ManualComputationAttributes>().manual_axes;
    return Parts::Of(ManualLayout(module_, sharding, axes,
                                  static_cast<int64_t>(sharding.dimensions.size()), mesh_));
  }

  // Divided reductions give parts, and so do ops on operands in parts.
  Parts GivenByRule(const ir::Op& op) const {
    if (!function_.TypeOf(op.results[0]).IsTensor()) return {};
    const FactorRule rule = rules_.Of(op);
    Axes reduced;
    for (size_t i = 0; i < rule.operands.size(); ++i) {
      FactorAxes projected;
      Project(layouts_[op.operands[i]], rule.operands[i], rule, mesh_, projected);
      for (size_t factor = 0; factor < projected.size(); ++factor) {
        if (!rule.factors[factor].is_reduction) continue;
        reduced.insert(reduced.end(), projected[factor].begin(), projected[factor].end());
      }
    }
    std::sort(reduced.begin(), reduced.end());
    reduced.erase(std::unique(reduced.begin(), reduced.end()), reduced.end());
    Parts given;
    if (!reduced.empty()) given = {std::move(reduced), CombinerOf(op)};
    for (const OpKind combiner : {OpKind::kAdd, OpKind::kMaximum, OpKind::kMinimum}) {
      for (const size_t operand : rules_.PartsOf(op, combiner).operands) {
        const Parts& passed = given_[op.operands[operand]];
        if (passed.combiner == combiner) given = Either(given, passed);
      }
    }
    return given;
  }

  // Notes one use of a value.
  void Want(ValueId id, const Parts& parts) {
    std::optional<Parts>& wanted = wanted_[id];
    wanted = wanted.has_value() ? Common(*wanted, parts) : parts;
  }

  // Returns the parts in which a value is kept whose uses have all been noted.
  Parts ChoiceOf(ValueId id) const {
    return wanted_[id].has_value() ? Common(*wanted_[id], given_[id]) : Parts();
  }

  // Visits the users of each value before its op.
  void Choose(const ir::Region& region) {
    for (auto op = region.ops.rbegin(); op != region.ops.rend(); ++op) Choose(*op);
  }

  void Choose(const ir::Op& op) {
    switch (op.kind) {
      case OpKind::kShardingConstraint:
        Want(op.operands[0], PartsOf(op.As<ir::ShardingConstraintAttributes>().sharding));
        return;
      case OpKind::kManualComputation:
        for (size_t i = 0; i < op.operands.size(); ++i) {
          Want(op.operands[i],
               PartsOfManual(op, op.As<ir::ManualComputationAttributes>().in_shardings[i]));
        }
        return;
      case OpKind::kShardingGroup:
        return;
      case OpKind::kOptimizationBarrier:
      case OpKind::kWhile:
      case OpKind::kCase:
      case OpKind::kIf:
        return ChooseResults(op);
      default:
        return ChooseByRule(op);
    }
  }

  // For ops whose results are operands, or results of their regions.
  void ChooseResults(const ir::Op& op) {
    const bool has_branches = op.kind == OpKind::kCase || op.kind == OpKind::kIf;
    if (has_branches) Want(op.operands[0], {});
    for (size_t i = 0; i < op.results.size(); ++i) {
      if (!function_.TypeOf(op.results[i]).IsTensor()) continue;
      const Parts parts = ChoiceOf(op.results[i]);
      if (!parts.axes.empty()) Set(op.results[i], parts);
      if (!has_branches) Want(op.operands[i], parts);
      for (const ir::Region& region : op.regions) {
        const bool is_condition = op.kind == OpKind::kWhile && &region == &op.regions[0];
        if (!is_condition) Want(region.results[i], parts);
        if (op.kind == OpKind::kWhile) given_[region.parameters[i]] = parts;
      }
    }
    for (const ir::Region& region : op.regions) Choose(region);
  }

  void ChooseByRule(const ir::Op& op) {
    Parts parts;
    PartsRule rule;
    if (op.results.size() == 1 && function_.TypeOf(op.results[0]).IsTensor()) {
      parts = ChoiceOf(op.results[0]);
      if (!parts.axes.empty()) {
        Set(op.results[0], parts);
        rule = rules_.PartsOf(op, parts.combiner);
      }
    }
    for (size_t i = 0; i < op.operands.size(); ++i) {
      const bool may_be_parts =
          std::find(rule.operands.begin(), rule.operands.end(), i) != rule.operands.end();
      Want(op.operands[i], may_be_parts ? parts : Parts());
    }
    // What regions of other ops use from around is whole.
    for (const ir::Region& region : op.regions) {
      ForEachOp(region, [&](const ir::Op& inner) {
        for (const ValueId id : inner.operands) Want(id, {});
      });
      for (const ValueId id : region.results) Want(id, {});
    }
  }

  const ir::Module& module_;
  const ir::Function& function_;
  const CanonicalMesh& mesh_;
  const FactorRules& rules_;
  std::vector<Layout>& layouts_;
  std::vector<Parts> given_;                  // by value
  std::vector<std::optional<Parts>> wanted_;  // by value: by all uses so far; nullopt: no use
  bool has_declarations_ = false;
};

}  // namespace

OpKind CombinerOf(const ir::Op& op) {
  // What has no region adds elements up, or selects one.
  return op.regions.empty() ? OpKind::kAdd : CombinerOf(op.regions[0]).value_or(OpKind::kAdd);
}

void ChooseParts(const ir::Module& module, const ir::Function& function, const CanonicalMesh& mesh,
                 const FactorRules& rules, std::vector<Layout>& layouts) {
  Chooser(module, function, mesh, rules, layouts).Run();
}

}  // namespace acceld::compiler::spmd
