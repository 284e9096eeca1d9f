#include "server/compiler/fusion/cost.h"

namespace acceld::compiler {

using ir::OpKind;

int64_t CostOf(const ir::Function& function, const ir::Op& op) {
  switch (ir::FamilyOf(op.kind)) {
    case ir::OpFamily::kStructure:
      return 0;
    case ir::OpFamily::kIndexing:
      if (op.kind == OpKind::kGather) return 4;
      if (op.kind == OpKind::kConcatenate) return static_cast<int64_t>(op.operands.size());
      if (op.kind == OpKind::kDynamicSlice || op.kind == OpKind::kPad) return 1;
      return 0;
    case ir::OpFamily::kNest:
    case ir::OpFamily::kContraction:
    case ir::OpFamily::kRoutine:
    case ir::OpFamily::kDerived:
    case ir::OpFamily::kDynamic:
    case ir::OpFamily::kCollective:
    case ir::OpFamily::kSharding:
      return 1000;
    case ir::OpFamily::kElementwise:
      break;
  }
  const ir::DType dtype = function.TensorOf(op.operands[0]).dtype;
  const int64_t scale = ir::IsComplex(dtype) ? 4 : 1;
  if (op.kind == OpKind::kConvert || op.kind == OpKind::kReal || op.kind == OpKind::kImag ||
      op.kind == OpKind::kComplex) {
    return 0;
  }
  static constexpr OpKind kSlow[] = {
      OpKind::kAtan2,  OpKind::kCbrt,        OpKind::kCosine,
      OpKind::kDivide, OpKind::kExponential, OpKind::kExponentialMinusOne,
      OpKind::kLog,    OpKind::kLogPlusOne,  OpKind::kLogistic,
      OpKind::kPower,  OpKind::kRemainder,   OpKind::kRsqrt,
      OpKind::kSine,   OpKind::kSqrt,        OpKind::kTan,
      OpKind::kTanh,
  };
  for (OpKind kind : kSlow) {
    if (op.kind == kind) return 16 * scale;
  }
  return scale;
}

bool IsPointwise(const ir::Op& op) { return ir::FamilyOf(op.kind) == ir::OpFamily::kElementwise; }

bool IsInlineConstant(const ir::Op& op) {
  if (op.kind != OpKind::kConstant) return false;
  const ir::Literal& value = op.As<ir::ConstantAttributes>().value;
  return value.is_splat() || value.type().num_elements() == 1;
}

}  // namespace acceld::compiler
