#include "server/compiler/passes/structure/isolate_nests.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "kernels/lowering/lower.h"
#include "kernels/lowering/windows/find_scan.h"
#include "server/compiler/passes/rewriter.h"

namespace acceld::compiler {
namespace {

using ValueMap = absl::flat_hash_map<ir::ValueId, ir::ValueId>;

// The values that a region uses and does not define, in order of first use. The verifier bounds how
// deep regions nest.
class Captures {
 public:
  explicit Captures(const ir::Region& region) { Visit(region); }
  const std::vector<ir::ValueId>& values() const { return values_; }

 private:
  void Visit(const ir::Region& region) {
    defined_.insert(region.parameters.begin(), region.parameters.end());
    for (const ir::Op& op : region.ops) {
      for (ir::ValueId id : op.operands) Use(id);
      for (const ir::Region& inner : op.regions) Visit(inner);
      defined_.insert(op.results.begin(), op.results.end());
    }
    for (ir::ValueId id : region.results) Use(id);
  }

  void Use(ir::ValueId id) {
    if (defined_.contains(id) || !seen_.insert(id).second) return;
    values_.push_back(id);
  }

  absl::flat_hash_set<ir::ValueId> defined_, seen_;
  std::vector<ir::ValueId> values_;
};

void Substitute(const ValueMap& map, std::vector<ir::ValueId>& ids) {
  for (ir::ValueId& id : ids) {
    const auto it = map.find(id);
    if (it != map.end()) id = it->second;
  }
}

void Substitute(const ValueMap& map, ir::Region& region) {
  for (ir::Op& op : region.ops) {
    Substitute(map, op.operands);
    for (ir::Region& inner : op.regions) Substitute(map, inner);
  }
  Substitute(map, region.results);
}

// If operand number `operand` of an op is better computed where the op reads it, returns the op
// that defines it; otherwise nullptr. That is the iota of a partial sort, which reads the elements
// in order and drops most of them, and the conversion of the updates of a scatter, which reads each
// once.
const ir::Op* ReadInPlace(const Rewriter& rewriter, const ir::Op& op, size_t operand) {
  ir::OpKind wanted;
  if (op.kind == ir::OpKind::kPartialSort) {
    wanted = ir::OpKind::kIota;
  } else if (op.kind == ir::OpKind::kScatter && operand > op.results.size()) {
    wanted = ir::OpKind::kConvert;
  } else {
    return nullptr;
  }
  const ir::Op* definition = rewriter.DefinitionOf(op.operands[operand]);
  return definition != nullptr && definition->kind == wanted ? definition : nullptr;
}

ir::Op ConstantOp(Rewriter& rewriter, const ir::Literal& value) {
  ir::Op constant;
  constant.kind = ir::OpKind::kConstant;
  constant.attributes = ir::ConstantAttributes{value};
  constant.results = {rewriter.NewValue(value.type())};
  return constant;
}

// Moves constants that are too large for the code of a kernel out of a region; they become
// operands.
void HoistLargeConstants(Rewriter& rewriter, ir::Region& region) {
  std::vector<ir::Op> rest;
  rest.reserve(region.ops.size());
  for (ir::Op& op : region.ops) {
    for (ir::Region& inner : op.regions) HoistLargeConstants(rewriter, inner);
    if (op.kind == ir::OpKind::kConstant) {
      const ir::Literal& value = op.As<ir::ConstantAttributes>().value;
      if (!value.is_splat() && value.type().num_elements() > kernels::kMaxInlineConstant) {
        rewriter.Append(std::move(op));
        continue;
      }
    }
    rest.push_back(std::move(op));
  }
  region.ops = std::move(rest);
}

// Copies the scalar constants from outside that a region uses into it, and adds the other values
// from outside that it uses to `captured`.
void TakeConstantsIn(Rewriter& rewriter, ir::Region& region, std::vector<ir::ValueId>& captured) {
  std::vector<ir::Op> constants;
  ValueMap inside;
  const Captures captures(region);
  for (ir::ValueId id : captures.values()) {
    const ir::Literal* value = rewriter.ConstantOf(id);
    if (value != nullptr && value->type().rank() == 0) {
      constants.push_back(ConstantOp(rewriter, *value));
      inside[id] = constants.back().results[0];
    } else if (std::find(captured.begin(), captured.end(), id) == captured.end()) {
      captured.push_back(id);
    }
  }
  region.ops.insert(region.ops.begin(), constants.begin(), constants.end());
  Substitute(inside, region);
}

absl::StatusOr<bool> Isolate(Rewriter& rewriter, ir::Op& op) {
  if (ir::FamilyOf(op.kind) != ir::OpFamily::kNest || op.regions.empty()) return false;
  const bool window = op.kind == ir::OpKind::kReduceWindow;
  std::vector<ir::ValueId> captured;
  for (ir::Region& region : op.regions) {
    HoistLargeConstants(rewriter, region);
    TakeConstantsIn(rewriter, region, captured);
  }
  if (window && op.results.size() == 1 && captured.empty()) {
    const ir::Literal* initial = rewriter.ConstantOf(op.operands[1]);
    if (kernels::FindWindowScan(rewriter.function(), op, initial).has_value()) {
      op.operands[1] = rewriter.EmitConstant(ir::Literal(*initial), op.location);
      return false;
    }
  }
  const auto is_constant = [&](ir::ValueId id) { return rewriter.ConstantOf(id) != nullptr; };
  const size_t inputs = window ? op.results.size() : op.operands.size();
  const bool takes_initial =
      window && std::any_of(op.operands.begin() + inputs, op.operands.end(), is_constant);
  bool takes_operand = false;
  for (size_t i = 0; i < op.operands.size(); ++i) {
    takes_operand |= ReadInPlace(rewriter, op, i) != nullptr;
  }
  if (captured.empty() && !takes_initial && !takes_operand) return false;
  ir::Op fusion;
  fusion.kind = ir::OpKind::kFusion;
  fusion.attributes = ir::FusionAttributes{ir::FusionKind::kReduction};
  fusion.location = op.location;
  fusion.results = op.results;
  ir::Region& region = fusion.regions.emplace_back();
  const auto take = [&](ir::ValueId id) {
    fusion.operands.push_back(id);
    region.parameters.push_back(rewriter.NewValue(rewriter.TypeOf(id)));
    return region.parameters.back();
  };
  // The op's operands come first and in their order: an operand that a result may overwrite is
  // identified by its position.
  for (size_t i = 0; i < op.operands.size(); ++i) {
    ir::ValueId& id = op.operands[i];
    const ir::Literal* value = i < inputs ? nullptr : rewriter.ConstantOf(id);
    if (value != nullptr) {
      region.ops.push_back(ConstantOp(rewriter, *value));
      id = region.ops.back().results[0];
    } else if (const ir::Op* definition = ReadInPlace(rewriter, op, i)) {
      ir::Op& inside = region.ops.emplace_back(*definition);
      for (ir::ValueId& operand : inside.operands) operand = take(operand);
      id = inside.results[0] = rewriter.NewValue(rewriter.TypeOf(id));
    } else {
      id = take(id);
    }
  }
  ValueMap inside;
  for (ir::ValueId id : captured) inside[id] = take(id);
  for (ir::Region& inner : op.regions) Substitute(inside, inner);
  for (ir::ValueId& id : op.results) id = rewriter.NewValue(rewriter.TypeOf(id));
  region.results = op.results;
  region.ops.push_back(std::move(op));
  rewriter.Append(std::move(fusion));
  return true;
}

}  // namespace

absl::StatusOr<ir::Module> IsolateNests(const ir::Module& module) {
  return RewriteEach(module, &Isolate);
}

}  // namespace acceld::compiler
