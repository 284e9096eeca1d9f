#include "server/compiler/fusion/matmul_chain.h"

#include <algorithm>
#include <cmath>

#include "kernels/lowering/lower.h"
#include "server/compiler/fusion/attention/gelu.h"
#include "server/compiler/fusion/splat.h"
#include "server/compiler/plan/steps/matmul.h"

namespace acceld::compiler {
namespace {

using ir::OpKind;
using Activation = kernels::MatmulEpilogue::Activation;

// Extends a chain by one op.
class Extension {
 public:
  Extension(const RegionGraph& graph, const MatmulChain& chain)
      : graph_(graph),
        chain_(chain),
        value_(graph.ops()[chain.last].results[0]),
        type_(graph.function().TensorOf(value_)) {}

  // Returns the chain with the next op, or nullopt if that op does not fit.
  absl::optional<MatmulChain> Run() {
    if (graph_.Escapes(chain_.last)) return absl::nullopt;
    const std::vector<OpIndex>& users = graph_.UsersOf(chain_.last);
    const bool takes = users.size() == 1 ? TakeOp(users[0]) : TakeGelu();
    if (!takes || MakesItsOperands()) return absl::nullopt;
    return std::move(chain_);
  }

 private:
  // Whether an operand of the product is defined by a member of the chain and would not be stored:
  // for instance a constant that is both operand and scale.
  bool MakesItsOperands() const {
    std::vector<ir::ValueId> operands = {chain_.lhs, chain_.rhs};
    if (chain_.step.epilogue.has_bias) operands.push_back(chain_.bias);
    if (chain_.step.epilogue.has_addend()) operands.push_back(chain_.addend);
    return std::any_of(operands.begin(), operands.end(), [this](ir::ValueId operand) {
      const OpIndex definition = graph_.DefinitionOf(operand);
      return definition != kNoOp && std::find(chain_.members.begin(), chain_.members.end(),
                                              definition) != chain_.members.end();
    });
  }

  kernels::MatmulEpilogue& epilogue() { return chain_.step.epilogue; }
  bool is_scale() { return !epilogue().has_addend() && !epilogue().has_bias && is_linear(); }
  bool is_linear() { return epilogue().activation == Activation::kNone; }

  bool TakeOp(OpIndex user) {
    const ir::Op& op = graph_.ops()[user];
    if (op.kind == OpKind::kConvert) return TakeConversion(user);
    if (op.operands.size() != 2 || op.operands[0] == op.operands[1] || !is_linear()) return false;
    const bool is_left = op.operands[0] == value_;
    const ir::ValueId other = op.operands[is_left ? 1 : 0];
    bool takes = false;
    switch (op.kind) {
      case OpKind::kMultiply:
        takes = TakeScale(other);
        break;
      case OpKind::kAdd:
        takes = TakeBias(other) || TakeAddend(other, 1);
        break;
      case OpKind::kSubtract:
        takes = is_left && TakeAddend(other, -1);
        break;
      case OpKind::kMaximum:
        takes = TakeRelu(other);
        break;
      default:
        break;
    }
    if (takes) Take(user);
    return takes;
  }

  void Take(OpIndex op) {
    chain_.members.push_back(op);
    chain_.last = op;
  }

  // A conversion before a bias or addend only: both have the type of the result, and would not be
  // converted.
  bool TakeConversion(OpIndex user) {
    const ir::DType to = graph_.function().TensorOf(graph_.ops()[user].results[0]).dtype;
    if (epilogue().has_addend() || epilogue().has_bias || type_.dtype != ir::DType::kF32 ||
        !ir::IsFloat(to) || ir::BitsOf(to) >= 32) {
      return false;
    }
    chain_.step.output_dtype = to;
    Take(user);
    return true;
  }

  bool TakeScale(ir::ValueId other) {
    const absl::optional<double> scale = SplatOf(graph_, other, chain_.members);
    if (!is_scale() || !scale.has_value() || *scale == 0 || !std::isfinite(*scale)) return false;
    epilogue().alpha *= *scale;
    return true;
  }

  bool TakeRelu(ir::ValueId other) {
    const absl::optional<double> bound = SplatOf(graph_, other, chain_.members);
    if (!bound.has_value() || *bound != 0) return false;
    epilogue().activation = Activation::kRelu;
    return true;
  }

  bool TakeGelu() {
    // The library uses the hardware's approximation of tanh: its error is less than the rounding of
    // f16 and bf16.
    if (!is_linear() || (type_.dtype != ir::DType::kF16 && type_.dtype != ir::DType::kBF16)) {
      return false;
    }
    const absl::optional<OpIndex> last = MatchGelu(graph_, value_, chain_.members);
    if (!last.has_value()) return false;
    epilogue().activation = Activation::kGelu;
    Take(*last);
    return true;
  }

  // Takes a bias: a vector that is broadcast along all rows, so that its dimensions are exactly
  // those of the result that come from rhs.
  bool TakeBias(ir::ValueId other) {
    if (epilogue().has_bias) return false;
    const OpIndex definition = graph_.DefinitionOf(other);
    if (definition == kNoOp || graph_.ops()[definition].kind != OpKind::kBroadcastInDim) {
      return false;
    }
    const ir::Op& broadcast = graph_.ops()[definition];
    const ir::TensorType& vector = graph_.function().TensorOf(broadcast.operands[0]);
    if (vector.num_elements() != chain_.step.n || chain_.step.n == 1) return false;
    int64_t first_column = type_.rank();
    for (int64_t columns = 1; columns < chain_.step.n;) columns *= type_.dims[--first_column];
    const auto& dims = broadcast.As<ir::BroadcastInDimAttributes>().broadcast_dimensions;
    int64_t last = first_column - 1;
    for (int64_t i = 0; i < vector.rank(); ++i) {
      if (vector.dims[i] == 1) continue;
      if (dims[i] <= last) return false;
      last = dims[i];
    }
    chain_.bias = broadcast.operands[0];
    epilogue().has_bias = true;
    chain_.members.push_back(definition);
    return true;
  }

  // Takes a value in memory, or a multiple of one, that is added (`sign` 1) or subtracted (-1).
  bool TakeAddend(ir::ValueId other, double sign) {
    if (epilogue().has_addend()) return false;
    const OpIndex definition = graph_.DefinitionOf(other);
    if (!LiesInMemory(other)) {
      const ir::Op& op = graph_.ops()[definition];
      if (op.kind != OpKind::kMultiply || op.operands[0] == op.operands[1]) return false;
      absl::optional<double> scale = SplatOf(graph_, op.operands[1], chain_.members);
      other = op.operands[0];
      if (!scale.has_value()) {
        scale = SplatOf(graph_, op.operands[0], chain_.members);
        other = op.operands[1];
      }
      if (!scale.has_value() || *scale == 0 || !std::isfinite(*scale) || !LiesInMemory(other)) {
        return false;
      }
      sign *= *scale;
      chain_.members.push_back(definition);
    }
    chain_.addend = other;
    epilogue().beta = sign;
    return true;
  }

  // Whether the value is stored in memory even if the library does not read it. A value that could
  // be computed within the loop of its only user would otherwise need a kernel just for the
  // library; one with several users has such a kernel already.
  bool LiesInMemory(ir::ValueId id) const {
    OpIndex definition = graph_.DefinitionOf(id);
    while (definition != kNoOp && graph_.ops()[definition].kind == OpKind::kReshape &&
           graph_.UsersOf(definition).size() == 1) {
      definition = graph_.DefinitionOf(graph_.ops()[definition].operands[0]);
    }
    if (definition == kNoOp) return true;
    const ir::Op& op = graph_.ops()[definition];
    if (op.kind == OpKind::kConstant) return !op.As<ir::ConstantAttributes>().value.is_splat();
    if (!kernels::CanFuseAsProducer(graph_.function(), op)) return true;
    return ir::FamilyOf(op.kind) == ir::OpFamily::kElementwise &&
           (graph_.Escapes(definition) || graph_.UsersOf(definition).size() > 1);
  }

  const RegionGraph& graph_;
  MatmulChain chain_;
  const ir::ValueId value_;
  const ir::TensorType& type_;
};

}  // namespace

absl::optional<MatmulChain> MatchMatmulChain(const RegionGraph& graph, OpIndex dot,
                                             const codegen::Target& target) {
  const ir::Op& op = graph.ops()[dot];
  if (op.kind != OpKind::kDotGeneral) return absl::nullopt;
  const ir::Function& function = graph.function();
  const absl::optional<kernels::MatmulStep> product =
      MatchMatmul(function.TensorOf(op.operands[0]), function.TensorOf(op.operands[1]),
                  function.TensorOf(op.results[0]), op.As<ir::DotGeneralAttributes>());
  if (!product.has_value() || !target.SupportsMatmul(*product)) return absl::nullopt;
  MatmulChain chain{.step = *product,
                    .members = {dot},
                    .last = dot,
                    .lhs = op.operands[0],
                    .rhs = op.operands[1]};
  if (!ir::IsFloat(product->output_dtype)) return chain;
  while (true) {
    absl::optional<MatmulChain> longer = Extension(graph, chain).Run();
    if (!longer.has_value() || !target.SupportsMatmul(longer->step)) return chain;
    chain = *std::move(longer);
  }
}

}  // namespace acceld::compiler
