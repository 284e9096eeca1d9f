#include "server/compiler/fusion/attention/scores.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "server/compiler/fusion/splat.h"

namespace acceld::compiler {
namespace {

using ir::OpKind;

constexpr size_t kMaxChain = 24;

bool IsScoreType(ir::DType dtype) {
  return dtype == ir::DType::kF32 || dtype == ir::DType::kF16 || dtype == ir::DType::kBF16;
}

bool Moves(OpKind kind) { return kind == OpKind::kReshape || kind == OpKind::kTranspose; }

class Matcher {
 public:
  explicit Matcher(const RegionGraph& graph) : graph_(graph) {}

  absl::optional<Scores> Match(ir::ValueId scores) {
    std::vector<Link> links;
    if (!FindChain(scores, links)) return absl::nullopt;
    out_.product = RowMajorView(TypeOf(graph_.ops()[out_.dot].results[0]));
    for (size_t i = links.size(); i-- > 0;) {
      if (!Take(links[i])) return absl::nullopt;
    }
    out_.chain.push_back(out_.dot);
    for (const Link& link : links) out_.chain.push_back(link.op);
    out_.members.insert(out_.members.end(), out_.chain.begin(), out_.chain.end());
    return std::move(out_);
  }

 private:
  // An op between the product and the scores, and the operand of it that leads to the product.
  struct Link {
    OpIndex op;
    size_t operand;
  };

  const ir::TensorType& TypeOf(ir::ValueId id) const { return graph_.function().TensorOf(id); }

  // Traces `id` back to a product. Where both operands of an addition lead to one, takes the first.
  bool FindChain(ir::ValueId id, std::vector<Link>& links) {
    const size_t first = links.size();
    while (links.size() < kMaxChain) {
      const OpIndex definition = graph_.DefinitionOf(id);
      if (definition == kNoOp || !IsScoreType(TypeOf(id).dtype)) break;
      const ir::Op& op = graph_.ops()[definition];
      if (op.kind == OpKind::kDotGeneral) {
        out_.dot = definition;
        return true;
      }
      size_t operand = 0;
      if (op.kind == OpKind::kAdd) {
        // Only one addition is searched: each would double the number of paths.
        if (links.size() + 1 >= kMaxChain || adds_++ > 0) break;
        links.push_back({definition, 0});
        if (FindChain(op.operands[0], links)) return true;
        links.back() = {definition, 1};
        if (FindChain(op.operands[1], links)) return true;
        break;
      }
      if (op.kind == OpKind::kMultiply) {
        operand = IsSplat(op.operands[0]) ? 1 : 0;
      } else if (op.kind == OpKind::kSelect) {
        operand = IsSplat(op.operands[1]) ? 2 : 1;
      } else if (op.kind != OpKind::kDivide && op.kind != OpKind::kConvert && !Moves(op.kind)) {
        break;
      }
      links.push_back({definition, operand});
      id = op.operands[operand];
    }
    links.resize(first);
    return false;
  }

  bool IsSplat(ir::ValueId id) const {
    std::vector<OpIndex> used;
    return SplatOf(graph_, id, used).has_value();
  }

  bool Take(const Link& link) {
    const ir::Op& op = graph_.ops()[link.op];
    switch (op.kind) {
      case OpKind::kConvert:
        // The fill may round to another number, or to infinity.
        if (out_.fill.has_value() && ir::BitsOf(TypeOf(op.results[0]).dtype) < 32) return false;
        if (out_.bias.has_value()) {
          const ir::DType to = TypeOf(op.results[0]).dtype;
          if (ir::BitsOf(to) < ir::BitsOf(out_.bias->score_dtype)) out_.bias->score_dtype = to;
        }
        return true;
      case OpKind::kMultiply:
        return TakeScale(op.operands[1 - link.operand], /*divides=*/false);
      case OpKind::kDivide:
        return TakeScale(op.operands[1], /*divides=*/true);
      case OpKind::kAdd:
        return TakeBias(op, op.operands[1 - link.operand]);
      case OpKind::kSelect:
        return TakeMask(op, link.operand);
      default:
        return TakeMove(op);
    }
  }

  // Whether the scores so far have neither bias nor mask.
  bool IsPlain() const { return !out_.bias.has_value() && !out_.fill.has_value(); }

  bool TakeScale(ir::ValueId id, bool divides) {
    const absl::optional<double> splat = SplatOf(graph_, id, out_.members);
    if (!IsPlain() || !splat.has_value() || *splat == 0 || !std::isfinite(*splat)) return false;
    out_.scale = divides ? out_.scale / *splat : out_.scale * *splat;
    return std::isfinite(static_cast<float>(out_.scale)) && static_cast<float>(out_.scale) != 0;
  }

  bool TakeBias(const ir::Op& op, ir::ValueId id) {
    if (!IsPlain()) return false;
    ViewedValue bias = FindBase(graph_, id, /*through_conversions=*/true);
    if (!IsScoreType(TypeOf(bias.base).dtype)) return false;
    out_.members.insert(out_.members.end(), bias.members.begin(), bias.members.end());
    out_.bias = Scores::Bias{.value = bias.base,
                             .view = std::move(bias.view),
                             .score_dtype = TypeOf(op.results[0]).dtype};
    return true;
  }

  bool TakeMask(const ir::Op& op, size_t scores) {
    const absl::optional<double> fill = SplatOf(graph_, op.operands[3 - scores], out_.members);
    if (!fill.has_value() || std::isnan(*fill) || *fill == INFINITY ||
        (out_.fill.has_value() && *out_.fill != *fill) ||
        TypeOf(op.operands[0]).dims != TypeOf(op.results[0]).dims) {
      return false;
    }
    out_.fill = fill;
    for (MaskTerm& term : ReadMask(graph_, op.operands[0], scores == 1, out_.members)) {
      out_.masks.push_back(std::move(term));
    }
    return true;
  }

  bool TakeMove(const ir::Op& op) {
    const auto move = [&](View& view) {
      absl::optional<View> moved = ViewThrough(graph_.function(), op, view);
      if (moved.has_value()) view = *std::move(moved);
      return moved.has_value();
    };
    return move(out_.product) && (!out_.bias.has_value() || move(out_.bias->view)) &&
           std::all_of(out_.masks.begin(), out_.masks.end(),
                       [&](MaskTerm& term) { return move(term.view); });
  }

  const RegionGraph& graph_;
  Scores out_;
  int adds_ = 0;
};

}  // namespace

bool IsScoreConversion(const ir::Function& function, const ir::Op& op) {
  return op.kind == OpKind::kConvert && IsScoreType(function.TensorOf(op.operands[0]).dtype) &&
         IsScoreType(function.TensorOf(op.results[0]).dtype);
}

absl::optional<Scores> MatchScores(const RegionGraph& graph, ir::ValueId scores) {
  return Matcher(graph).Match(scores);
}

ViewedValue FindBase(const RegionGraph& graph, ir::ValueId id, bool through_conversions) {
  const ir::Function& function = graph.function();
  std::vector<OpIndex> chain;
  ir::ValueId base = id;
  while (chain.size() < kMaxChain) {
    const OpIndex definition = graph.DefinitionOf(base);
    if (definition == kNoOp) break;
    const ir::Op& op = graph.ops()[definition];
    const bool moves =
        Moves(op.kind) || op.kind == OpKind::kBroadcastInDim || op.kind == OpKind::kSlice;
    const bool widens = through_conversions && IsScoreConversion(function, op) &&
                        function.TensorOf(op.results[0]).dtype == ir::DType::kF32;
    if (!moves && !widens) break;
    chain.push_back(definition);
    base = op.operands[0];
  }
  ViewedValue out{.base = base, .view = RowMajorView(function.TensorOf(base)), .members = {}};
  for (size_t i = chain.size(); i-- > 0;) {
    const ir::Op& op = graph.ops()[chain[i]];
    absl::optional<View> moved = out.view;
    if (op.kind != OpKind::kConvert) moved = ViewThrough(function, op, out.view);
    if (moved.has_value()) {
      out.view = *std::move(moved);
      out.members.push_back(chain[i]);
    } else {
      const ir::ValueId result = op.results[0];
      out = {.base = result, .view = RowMajorView(function.TensorOf(result)), .members = {}};
    }
  }
  return out;
}

}  // namespace acceld::compiler
