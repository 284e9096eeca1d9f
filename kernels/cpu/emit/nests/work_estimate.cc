#include "kernels/cpu/emit/nests/work_estimate.h"

#include <algorithm>

namespace acceld::kernels::cpu {
namespace {

using ir::DType;

// The least work (0.1 ms) for which a parallel loop is divided among threads: waking a thread takes
// up to 50 us.
constexpr double kMinParallelWork = 2e6;
// The least work (60 us) if all elements are in the cache of one core. The other threads have to
// fetch them from there, and the next kernel fetches results from theirs.
constexpr double kMinParallelWorkInCache = 1.2e6;
// What a core's own cache has room for.
constexpr int64_t kCacheBytes = 1 << 20;

// Loading or storing a byte.
double ByteCost(Elements elements) { return elements == Elements::kInCache ? 0.15 : 0.5; }

// An operation that a vector unit begins in each cycle.
double CheapCost(Elements elements) { return elements == Elements::kInCache ? 0.3 : 1; }

double CostOf(ScalarOp op, DType operand, Elements elements) {
  const bool is_f64 = operand == DType::kF64;
  // Most of these compute indices, of which only some are computed for each vector.
  if (operand == DType::kI64 && elements == Elements::kInCache) return 0.05;
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
      return (IsFloat(operand) ? 2 : 1) * CheapCost(elements);
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
      return (is_f64 ? 2 : 1) * CheapCost(elements);
  }
  return 1;
}

int64_t BytesOf(const Kernel& kernel) {
  int64_t bytes = 0;
  for (const BufferParameter& buffer : kernel.buffers) {
    bytes += buffer.num_elements * ir::StorageBytesOf(buffer.dtype);
  }
  return bytes;
}

}  // namespace

double EstimateWork(const Kernel& kernel, const Block& block, Elements elements) {
  constexpr double kGuessedTrips = 16;  // of a WhileStatement
  double sum = 0;
  for (const Statement& statement : block) {
    if (const auto* scalar = std::get_if<ScalarStatement>(&statement.value)) {
      sum += CostOf(scalar->op, kernel.TypeOf(scalar->operands.back()), elements);
    } else if (const auto* load = std::get_if<LoadStatement>(&statement.value)) {
      sum +=
          ByteCost(elements) * static_cast<double>(ir::StorageBytesOf(kernel.TypeOf(load->result)));
    } else if (const auto* store = std::get_if<StoreStatement>(&statement.value)) {
      sum +=
          ByteCost(elements) * static_cast<double>(ir::StorageBytesOf(kernel.TypeOf(store->value)));
    } else if (const auto* loop = std::get_if<ForStatement>(&statement.value)) {
      sum += static_cast<double>(loop->extent) * EstimateWork(kernel, loop->body, elements) + 10;
    } else if (const auto* loop = std::get_if<WhileStatement>(&statement.value)) {
      sum += kGuessedTrips * (EstimateWork(kernel, loop->condition_body, elements) +
                              EstimateWork(kernel, loop->body, elements));
    } else if (const auto* branch = std::get_if<IfStatement>(&statement.value)) {
      sum += std::max(EstimateWork(kernel, branch->then_body, elements),
                      EstimateWork(kernel, branch->else_body, elements));
    }
  }
  return sum;
}

bool IsWorthThreads(const Kernel& kernel, const ForStatement& loop) {
  const auto Work = [&](Elements elements) {
    return static_cast<double>(loop.extent) * EstimateWork(kernel, loop.body, elements);
  };
  if (Work(Elements::kInMemory) < kMinParallelWork) return false;
  return BytesOf(kernel) > kCacheBytes || Work(Elements::kInCache) >= kMinParallelWorkInCache;
}

}  // namespace acceld::kernels::cpu
