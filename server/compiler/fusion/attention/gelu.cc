#include "server/compiler/fusion/attention/gelu.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "server/compiler/fusion/splat.h"

namespace acceld::compiler {
namespace {

using ir::OpKind;

// Matches the formula backwards from its end.
class Matcher {
 public:
  Matcher(const RegionGraph& graph, ir::ValueId x)
      : graph_(graph), x_(x), mantissa_bits_(MantissaBits(graph.function().TensorOf(x).dtype)) {}

  // Whether the op at `end` gives the GELU of x. If so, used() are the ops before it.
  bool EndsAt(OpIndex end) {
    used_.clear();
    Product product;
    if (!Factors(end, product) || product.xs != 1 || !IsNear(product.scale, 0.5)) return false;
    const ir::Op* sum = Take(product.other, OpKind::kAdd);
    if (sum == nullptr) return false;
    for (const auto& [one, tanh] : BothWays(*sum)) {
      const absl::optional<double> splat = SplatOf(graph_, one, used_);
      if (splat.has_value() && *splat == 1 && IsTanh(tanh)) return true;
    }
    return false;
  }

  const std::vector<OpIndex>& used() const { return used_; }

 private:
  // The product scale * x^xs * other.
  struct Product {
    double scale = 1;
    int xs = 0;
    ir::ValueId other = 0;
    bool has_other = false;
  };
  static constexpr int kMaxFactors = 6;

  static int MantissaBits(ir::DType dtype) {
    return dtype == ir::DType::kBF16 ? 7 : dtype == ir::DType::kF16 ? 10 : 23;
  }

  bool IsNear(double value, double expected) const {
    return std::abs(value - expected) <= expected * std::ldexp(1.0, -mantissa_bits_);
  }

  static std::pair<ir::ValueId, ir::ValueId> InOrder(const ir::Op& op, bool swapped) {
    return {op.operands[swapped ? 1 : 0], op.operands[swapped ? 0 : 1]};
  }
  static std::vector<std::pair<ir::ValueId, ir::ValueId>> BothWays(const ir::Op& op) {
    return {InOrder(op, false), InOrder(op, true)};
  }

  // Returns the op that gives the value if it is of this kind, or else nullptr.
  const ir::Op* Take(ir::ValueId id, OpKind kind) {
    const OpIndex definition = graph_.DefinitionOf(id);
    if (definition == kNoOp || graph_.ops()[definition].kind != kind) return nullptr;
    used_.push_back(definition);
    return &graph_.ops()[definition];
  }

  // Collects the factors of a multiplication and of the multiplications that are its operands.
  bool Factors(OpIndex multiply, Product& product) {
    if (graph_.ops()[multiply].kind != OpKind::kMultiply) return false;
    std::vector<OpIndex> open = {multiply};
    for (int i = 0; !open.empty(); ++i) {
      if (i == kMaxFactors) return false;
      const ir::Op& op = graph_.ops()[open.back()];
      open.pop_back();
      for (const ir::ValueId id : op.operands) {
        const OpIndex definition = graph_.DefinitionOf(id);
        if (id == x_) {
          ++product.xs;
        } else if (const absl::optional<double> scale = SplatOf(graph_, id, used_);
                   scale.has_value()) {
          product.scale *= *scale;
        } else if (definition != kNoOp && graph_.ops()[definition].kind == OpKind::kMultiply) {
          used_.push_back(definition);
          open.push_back(definition);
        } else if (!product.has_other) {
          product.other = id;
          product.has_other = true;
        } else {
          return false;
        }
      }
    }
    return true;
  }

  // Whether the value is tanh(sqrt(2 / pi) * (x + 0.044715 * x^3)).
  bool IsTanh(ir::ValueId id) {
    const ir::Op* const tanh = Take(id, OpKind::kTanh);
    if (tanh == nullptr) return false;
    const OpIndex inner = graph_.DefinitionOf(tanh->operands[0]);
    Product product;
    if (inner == kNoOp || !Factors(inner, product) || product.xs != 0 || !product.has_other ||
        !IsNear(product.scale, std::sqrt(2 / M_PI))) {
      return false;
    }
    used_.push_back(inner);
    const ir::Op* const sum = Take(product.other, OpKind::kAdd);
    if (sum == nullptr) return false;
    for (const auto& [x, cube] : BothWays(*sum)) {
      if (x == x_ && IsCube(cube)) return true;
    }
    return false;
  }

  // Whether the value is 0.044715 * x^3.
  bool IsCube(ir::ValueId id) {
    const OpIndex definition = graph_.DefinitionOf(id);
    Product product;
    if (definition == kNoOp || !Factors(definition, product)) return false;
    used_.push_back(definition);
    return product.xs == 3 && !product.has_other && IsNear(product.scale, 0.044715);
  }

  const RegionGraph& graph_;
  const ir::ValueId x_;
  const int mantissa_bits_;
  std::vector<OpIndex> used_;
};

// Whether the results of `used` and of the op that defines `x` have no users but `used` and `end`.
// Constants, also broadcast ones, may have other users.
bool IsClosed(const RegionGraph& graph, ir::ValueId x, const std::vector<OpIndex>& used,
              OpIndex end) {
  const auto are_inside = [&](OpIndex op) {
    const std::vector<OpIndex>& users = graph.UsersOf(op);
    return !graph.Escapes(op) && std::all_of(users.begin(), users.end(), [&](OpIndex user) {
      return user == end || std::find(used.begin(), used.end(), user) != used.end();
    });
  };
  return are_inside(graph.DefinitionOf(x)) &&
         std::all_of(used.begin(), used.end(), [&](OpIndex op) {
           std::vector<OpIndex> constants;
           return SplatOf(graph, graph.ops()[op].results[0], constants).has_value() ||
                  are_inside(op);
         });
}

}  // namespace

absl::optional<OpIndex> MatchGelu(const RegionGraph& graph, ir::ValueId x,
                                  std::vector<OpIndex>& used) {
  Matcher matcher(graph, x);
  for (const OpIndex user : graph.UsersOf(graph.DefinitionOf(x))) {
    // The formula may end at a user of x or at that op's user: x / 2 may be computed first.
    for (OpIndex end = user, i = 0; i < 2; ++i) {
      if (matcher.EndsAt(end) && IsClosed(graph, x, matcher.used(), end)) {
        for (const OpIndex op : matcher.used()) {
          if (std::find(used.begin(), used.end(), op) == used.end()) used.push_back(op);
        }
        return end;
      }
      if (graph.UsersOf(end).size() != 1) break;
      end = graph.UsersOf(end)[0];
    }
  }
  return absl::nullopt;
}

}  // namespace acceld::compiler
