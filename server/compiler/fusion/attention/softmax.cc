#include "server/compiler/fusion/attention/softmax.h"

#include <cmath>
#include <utility>

#include "server/compiler/fusion/attention/scores.h"
#include "server/compiler/fusion/splat.h"
#include "server/compiler/fusion/view.h"

namespace acceld::compiler {
namespace {

using ir::OpKind;

// The most conversions, broadcasts and reshapes between two ops of the formula.
constexpr int kMaxChain = 8;

class Matcher {
 public:
  explicit Matcher(const RegionGraph& graph) : graph_(graph) {}

  absl::optional<Softmax> Match(OpIndex quotient) {
    const ir::Op& divide = graph_.ops()[quotient];
    if (divide.kind != OpKind::kDivide) return absl::nullopt;
    members_.push_back(quotient);
    const OpIndex exponential = SkipConversions(divide.operands[0]);
    if (!Is(exponential, OpKind::kExponential)) return absl::nullopt;
    members_.push_back(exponential);
    const Reduced sum = FindReduction(divide.operands[1], OpKind::kAdd, 0);
    if (!sum.found || SkipConversions(sum.operand) != exponential) return absl::nullopt;

    const OpIndex difference = SkipConversions(graph_.ops()[exponential].operands[0]);
    if (!Is(difference, OpKind::kSubtract)) return absl::nullopt;
    members_.push_back(difference);
    const ir::ValueId scores = graph_.ops()[difference].operands[0];
    const Reduced maximum =
        FindReduction(graph_.ops()[difference].operands[1], OpKind::kMaximum, -INFINITY);
    if (!maximum.found || maximum.operand != scores || maximum.dim != sum.dim) {
      return absl::nullopt;
    }
    return Softmax{.scores = scores, .dim = sum.dim, .members = std::move(members_)};
  }

 private:
  struct Reduced {
    bool found = false;
    ir::ValueId operand = 0;
    int64_t dim = 0;
  };

  bool Is(OpIndex op, OpKind kind) const { return op != kNoOp && graph_.ops()[op].kind == kind; }

  // Returns the op that gives the value. Conversions between f32, f16 and bf16 are skipped and
  // added to the members.
  OpIndex SkipConversions(ir::ValueId id) {
    OpIndex definition = graph_.DefinitionOf(id);
    for (int i = 0; i < kMaxChain && definition != kNoOp; ++i) {
      const ir::Op& op = graph_.ops()[definition];
      if (!IsScoreConversion(graph_.function(), op)) break;
      members_.push_back(definition);
      definition = graph_.DefinitionOf(op.operands[0]);
    }
    return definition;
  }

  // Whether the op is maximum(x, -infinity), which equals x; if so, sets `x`.
  bool IsMaximumWithLowest(const ir::Op& op, ir::ValueId& x) {
    if (op.kind != OpKind::kMaximum) return false;
    for (const size_t i : {size_t{0}, size_t{1}}) {
      const absl::optional<double> splat = SplatOf(graph_, op.operands[i], constants_);
      if (!splat.has_value() || *splat != -INFINITY) continue;
      x = op.operands[1 - i];
      return true;
    }
    return false;
  }

  // Finds a reduction along one dimension whose result is broadcast along that dimension again to
  // give `id`.
  Reduced FindReduction(ir::ValueId id, OpKind combiner, double initial) {
    const ir::TensorType& type = graph_.function().TensorOf(id);
    std::vector<OpIndex> moves;
    OpIndex definition = graph_.DefinitionOf(id);
    for (int i = 0;; ++i) {
      if (i == kMaxChain || definition == kNoOp) return {};
      const ir::Op& op = graph_.ops()[definition];
      if (op.kind == OpKind::kReduce) break;
      members_.push_back(definition);
      ir::ValueId next = op.operands.empty() ? id : op.operands[0];
      if (op.kind == OpKind::kBroadcastInDim || op.kind == OpKind::kReshape) {
        moves.push_back(definition);
      } else if (!IsScoreConversion(graph_.function(), op) && !IsMaximumWithLowest(op, next)) {
        return {};
      }
      definition = graph_.DefinitionOf(next);
    }
    const ir::Op& reduce = graph_.ops()[definition];
    members_.push_back(definition);
    const auto& dims = reduce.As<ir::DimensionsAttributes>().dimensions;
    if (reduce.results.size() != 1 || dims.size() != 1 ||
        graph_.function().TensorOf(reduce.operands[0]).dims != type.dims ||
        !Combines(reduce, combiner, initial)) {
      return {};
    }
    View view = RowMajorView(graph_.function().TensorOf(reduce.results[0]));
    View expected = view;
    expected.dims.insert(expected.dims.begin() + dims[0], {{type.dims[dims[0]], 0}});
    for (size_t i = moves.size(); i-- > 0;) {
      absl::optional<View> moved = ViewThrough(graph_.function(), graph_.ops()[moves[i]], view);
      if (!moved.has_value()) return {};
      view = *std::move(moved);
    }
    if (!(view == expected)) return {};
    return {.found = true, .operand = reduce.operands[0], .dim = dims[0]};
  }

  bool Combines(const ir::Op& reduce, OpKind combiner, double initial) {
    const ir::Region& region = reduce.regions[0];
    if (region.ops.size() != 1 || region.ops[0].kind != combiner ||
        region.results != region.ops[0].results || region.parameters.size() != 2) {
      return false;
    }
    const auto& operands = region.ops[0].operands;
    const bool takes_both =
        (operands[0] == region.parameters[0] && operands[1] == region.parameters[1]) ||
        (operands[0] == region.parameters[1] && operands[1] == region.parameters[0]);
    const absl::optional<double> splat = SplatOf(graph_, reduce.operands[1], constants_);
    for (const OpIndex constant : constants_) members_.push_back(constant);
    constants_.clear();
    return takes_both && splat.has_value() && *splat == initial;
  }

  const RegionGraph& graph_;
  std::vector<OpIndex> members_, constants_;
};

}  // namespace

absl::optional<Softmax> MatchSoftmax(const RegionGraph& graph, OpIndex quotient) {
  return Matcher(graph).Match(quotient);
}

}  // namespace acceld::compiler
