#include "kernels/cuda/emit/analysis/narrow_indices.h"

#include <algorithm>
#include <variant>

#include "kernels/ir/analysis/index_range.h"

namespace acceld::kernels::cuda {
namespace {

class RangeFinder {
 public:
  explicit RangeFinder(const Kernel& kernel) : kernel_(kernel), ranges_(kernel.var_types.size()) {}

  std::vector<bool> Find() {
    Visit(kernel_.body);
    std::vector<bool> narrow(ranges_.size());
    for (Var var = 0; var < ranges_.size(); ++var) {
      const IndexRange& range = ranges_[var];
      narrow[var] = kernel_.TypeOf(var) == DType::kI64 && range.known() && range.low >= INT32_MIN &&
                    range.high <= INT32_MAX;
    }
    return narrow;
  }

 private:
  void Visit(const Block& block) {
    for (const Statement& statement : block) {
      std::visit([this](const auto& one) { Visit(one); }, statement.value);
    }
  }
  void Visit(const ConstantStatement& constant) {
    if (kernel_.TypeOf(constant.result) == DType::kI64) {
      ranges_[constant.result] = IndexRange::Of(static_cast<int64_t>(constant.bits));
    }
  }
  void Visit(const ScalarStatement& scalar) {
    if (kernel_.TypeOf(scalar.result) != DType::kI64) return;
    const auto range = [&](size_t i) { return ranges_[scalar.operands[i]]; };
    if (scalar.op == ScalarOp::kConvert) {
      ranges_[scalar.result] = RangeOfType(kernel_.TypeOf(scalar.operands[0]));
    } else if (scalar.op == ScalarOp::kSelect) {
      ranges_[scalar.result] = {std::min(range(1).low, range(2).low),
                                std::max(range(1).high, range(2).high)};
    } else if (scalar.operands.size() == 2) {
      ranges_[scalar.result] = RangeOf(scalar.op, range(0), range(1));
    }
  }
  void Visit(const LoadStatement&) {}
  void Visit(const StoreStatement&) {}
  void Visit(const ForStatement& loop) {
    // The loop's counter reaches the extent itself.
    ranges_[loop.induction] = {0, loop.extent};
    Visit(loop.body);
  }
  void Visit(const WhileStatement& loop) {
    Visit(loop.condition_body);
    Visit(loop.body);
  }
  void Visit(const IfStatement& branch) {
    Visit(branch.then_body);
    Visit(branch.else_body);
  }

  static IndexRange RangeOfType(DType dtype) {
    if (dtype == DType::kI1) return {0, 1};
    if (!ir::IsInteger(dtype) || ir::BitsOf(dtype) > 32) return IndexRange::Unknown();
    const int64_t end = int64_t{1} << ir::BitsOf(dtype);
    return ir::IsSigned(dtype) ? IndexRange{-end / 2, end / 2 - 1} : IndexRange{0, end - 1};
  }

  const Kernel& kernel_;
  std::vector<IndexRange> ranges_;  // indexed by Var; Unknown() for other types than i64
};

}  // namespace

std::vector<bool> FindNarrowIndices(const Kernel& kernel) { return RangeFinder(kernel).Find(); }

bool IsExactIn32Bits(ScalarOp op) {
  switch (op) {
    case ScalarOp::kAdd:
    case ScalarOp::kConvert:
    case ScalarOp::kDivide:
    case ScalarOp::kEq:
    case ScalarOp::kGe:
    case ScalarOp::kGt:
    case ScalarOp::kLe:
    case ScalarOp::kLt:
    case ScalarOp::kMax:
    case ScalarOp::kMin:
    case ScalarOp::kMultiply:
    case ScalarOp::kNe:
    case ScalarOp::kRemainder:
    case ScalarOp::kSelect:
    case ScalarOp::kSubtract:
      return true;
    default:
      return false;
  }
}

}  // namespace acceld::kernels::cuda
