#include "kernels/cpu/emit/nests/work_estimate.h"

#include <algorithm>

namespace acceld::kernels::cpu {
namespace {

using ir::DType;

double CostOf(ScalarOp op, DType operand) {
  const bool is_f64 = operand == DType::kF64;
  constexpr double kLibraryCall = 200;
  switch (op) {
    case ScalarOp::kExp:
    case ScalarOp::kExpm1:
    case ScalarOp::kLog:
    case ScalarOp::kLog1p:
    case ScalarOp::kLogistic:
    case ScalarOp::kTanh:
      return is_f64 ? kLibraryCall : 10;
    case ScalarOp::kCos:
    case ScalarOp::kSin:
      return is_f64 ? kLibraryCall : 30;
    case ScalarOp::kAcos:
    case ScalarOp::kAcosh:
    case ScalarOp::kAsin:
    case ScalarOp::kAsinh:
    case ScalarOp::kAtan:
    case ScalarOp::kAtan2:
    case ScalarOp::kAtanh:
    case ScalarOp::kCbrt:
    case ScalarOp::kCosh:
    case ScalarOp::kErf:
    case ScalarOp::kErfc:
    case ScalarOp::kLgamma:
    case ScalarOp::kPower:
    case ScalarOp::kSinh:
    case ScalarOp::kTan:
      return kLibraryCall;
    case ScalarOp::kRemainder:
      return ir::IsFloat(operand) ? kLibraryCall : 20;
    case ScalarOp::kDivide:
      return ir::IsFloat(operand) ? 6 : 20;
    case ScalarOp::kRsqrt:
    case ScalarOp::kSqrt:
      return 8;
    case ScalarOp::kConvert:
      return IsFloat(operand) ? 2 : 1;
    case ScalarOp::kAbs:
    case ScalarOp::kAdd:
    case ScalarOp::kAnd:
    case ScalarOp::kBitcast:
    case ScalarOp::kCeil:
    case ScalarOp::kCountLeadingZeros:
    case ScalarOp::kEq:
    case ScalarOp::kFloor:
    case ScalarOp::kFma:
    case ScalarOp::kGe:
    case ScalarOp::kGt:
    case ScalarOp::kIsFinite:
    case ScalarOp::kLe:
    case ScalarOp::kLt:
    case ScalarOp::kMax:
    case ScalarOp::kMin:
    case ScalarOp::kMultiply:
    case ScalarOp::kNe:
    case ScalarOp::kNegate:
    case ScalarOp::kNot:
    case ScalarOp::kOr:
    case ScalarOp::kPopcnt:
    case ScalarOp::kRoundAfz:
    case ScalarOp::kRoundEven:
    case ScalarOp::kSelect:
    case ScalarOp::kShiftLeft:
    case ScalarOp::kShiftRightArithmetic:
    case ScalarOp::kShiftRightLogical:
    case ScalarOp::kSubtract:
    case ScalarOp::kXor:
      return is_f64 ? 2 : 1;
  }
  return 1;
}

}  // namespace

double EstimateWork(const Kernel& kernel, const Block& block) {
  constexpr double kGuessedTrips = 16;  // of a WhileStatement
  double sum = 0;
  for (const Statement& statement : block) {
    if (const auto* scalar = std::get_if<ScalarStatement>(&statement.value)) {
      sum += CostOf(scalar->op, kernel.TypeOf(scalar->operands.back()));
    } else if (const auto* load = std::get_if<LoadStatement>(&statement.value)) {
      sum += 0.5 * static_cast<double>(ir::StorageBytesOf(kernel.TypeOf(load->result)));
    } else if (const auto* store = std::get_if<StoreStatement>(&statement.value)) {
      sum += 0.5 * static_cast<double>(ir::StorageBytesOf(kernel.TypeOf(store->value)));
    } else if (const auto* loop = std::get_if<ForStatement>(&statement.value)) {
      sum += static_cast<double>(loop->extent) * EstimateWork(kernel, loop->body) + 10;
    } else if (const auto* loop = std::get_if<WhileStatement>(&statement.value)) {
      sum += kGuessedTrips *
             (EstimateWork(kernel, loop->condition_body) + EstimateWork(kernel, loop->body));
    } else if (const auto* branch = std::get_if<IfStatement>(&statement.value)) {
      sum += std::max(EstimateWork(kernel, branch->then_body),
                      EstimateWork(kernel, branch->else_body));
    }
  }
  return sum;
}

}  // namespace acceld::kernels::cpu
