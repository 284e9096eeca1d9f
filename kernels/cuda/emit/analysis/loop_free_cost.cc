#include "kernels/cuda/emit/analysis/loop_free_cost.h"

#include <variant>

namespace acceld::kernels::cuda {
namespace {

// The cost of a function of the mathematical library, and of a division.
constexpr int64_t kFunctionWork = 8;

bool IsSimple(ScalarOp op) {
  switch (op) {
    case ScalarOp::kAcos:
    case ScalarOp::kAcosh:
    case ScalarOp::kAsin:
    case ScalarOp::kAsinh:
    case ScalarOp::kAtan:
    case ScalarOp::kAtan2:
    case ScalarOp::kAtanh:
    case ScalarOp::kCbrt:
    case ScalarOp::kCos:
    case ScalarOp::kCosh:
    case ScalarOp::kDivide:
    case ScalarOp::kErf:
    case ScalarOp::kErfc:
    case ScalarOp::kExp:
    case ScalarOp::kExpm1:
    case ScalarOp::kLgamma:
    case ScalarOp::kLog:
    case ScalarOp::kLog1p:
    case ScalarOp::kLogistic:
    case ScalarOp::kPower:
    case ScalarOp::kRemainder:
    case ScalarOp::kSin:
    case ScalarOp::kSinh:
    case ScalarOp::kTan:
    case ScalarOp::kTanh:
      return false;
    case ScalarOp::kAbs:
    case ScalarOp::kAdd:
    case ScalarOp::kAnd:
    case ScalarOp::kBitcast:
    case ScalarOp::kCeil:
    case ScalarOp::kConvert:
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
    case ScalarOp::kRsqrt:
    case ScalarOp::kSelect:
    case ScalarOp::kShiftLeft:
    case ScalarOp::kShiftRightArithmetic:
    case ScalarOp::kShiftRightLogical:
    case ScalarOp::kSqrt:
    case ScalarOp::kSubtract:
    case ScalarOp::kXor:
      return true;
  }
  return false;
}

}  // namespace

absl::optional<int64_t> LoopFreeCostOf(const Block& block) {
  int64_t work = 0;
  for (const Statement& statement : block) {
    if (const auto* scalar = std::get_if<ScalarStatement>(&statement.value)) {
      work += IsSimple(scalar->op) ? 1 : kFunctionWork;
    } else if (const auto* branch = std::get_if<IfStatement>(&statement.value)) {
      const absl::optional<int64_t> yes = LoopFreeCostOf(branch->then_body);
      const absl::optional<int64_t> no = LoopFreeCostOf(branch->else_body);
      if (!yes.has_value() || !no.has_value()) return absl::nullopt;
      work += *yes + *no;
    } else if (std::holds_alternative<ForStatement>(statement.value) ||
               std::holds_alternative<WhileStatement>(statement.value)) {
      return absl::nullopt;
    }
  }
  return work;
}

}  // namespace acceld::kernels::cuda
