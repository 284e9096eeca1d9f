#include "kernels/lowering/windows/find_scan.h"

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <vector>

#include "common/ir/types/float_formats.h"
#include "kernels/ir/build/scalar_fold.h"
#include "kernels/lowering/reducer.h"

namespace acceld::kernels {
namespace {

using ir::DType;
using ir::OpKind;

bool AllOnes(const std::vector<int64_t>& values) {
  return std::all_of(values.begin(), values.end(), [](int64_t v) { return v == 1; });
}

// Whether the literal is the identity of the operation.
bool IsIdentity(ScalarOp combine, const ir::Literal& literal) {
  const DType dtype = literal.type().dtype;
  const char* data = literal.bytes().data();
  if (ir::IsComplex(dtype)) {
    return ir::ReadComplex(dtype, data, 0) == ir::Complex(combine == ScalarOp::kMultiply ? 1 : 0);
  }
  const uint64_t identity = IdentityOf(combine, dtype);
  if (ir::IsFloat(dtype)) return ir::ReadFloat(dtype, data, 0) == ir::DecodeFloat(dtype, identity);
  return TruncateToWidth(dtype, static_cast<uint64_t>(ir::ReadInt(dtype, data, 0))) == identity;
}

// Whether the region is a product of complex numbers. It is associative, but it is no simple
// reducer, because it does not act on each part separately.
bool IsComplexProduct(const ir::Function& function, const ir::Region& region) {
  if (region.ops.size() != 1 || region.results.size() != 1) return false;
  const ir::Op& op = region.ops[0];
  const std::vector<ir::ValueId>& p = region.parameters;
  return op.kind == OpKind::kMultiply && op.results[0] == region.results[0] &&
         ir::IsComplex(function.TensorOf(op.results[0]).dtype) &&
         (op.operands == p || op.operands == std::vector<ir::ValueId>{p[1], p[0]});
}

// Matches regions that compute log(exp(a) + exp(b)) as jnp.logaddexp does: max(a, b) +
// log1p(exp(-|a - b|)), or a + b if a - b is NaN (for equal infinities).
class LogAddExp {
 public:
  explicit LogAddExp(const ir::Region& region) : region_(region) {}

  bool Matches() const {
    if (region_.parameters.size() != 2 || region_.results.size() != 1) return false;
    const ir::Op* choice = Find(region_.results[0], OpKind::kSelect);
    if (choice == nullptr) return false;
    const ir::Op* test = Find(choice->operands[0], OpKind::kCompare);
    if (test == nullptr || test->operands[0] != test->operands[1]) return false;
    const auto& attributes = test->As<ir::CompareAttributes>();
    if (attributes.comparison_direction != ir::ComparisonDirection::kNe ||
        attributes.compare_type == ir::ComparisonType::kTotalOrder) {
      return false;
    }
    const ir::ValueId difference = test->operands[0];
    if (!IsOfBoth(difference, OpKind::kSubtract) || !IsOfBoth(choice->operands[1], OpKind::kAdd)) {
      return false;
    }
    const ir::Op* sum = Find(choice->operands[2], OpKind::kAdd);
    if (sum == nullptr) return false;
    return (IsOfBoth(sum->operands[0], OpKind::kMaximum) && IsRest(sum->operands[1], difference)) ||
           (IsOfBoth(sum->operands[1], OpKind::kMaximum) && IsRest(sum->operands[0], difference));
  }

 private:
  // The op that defines the value, if it is of this kind; else nullptr.
  const ir::Op* Find(ir::ValueId value, OpKind kind) const {
    for (const ir::Op& op : region_.ops) {
      if (op.results.size() == 1 && op.results[0] == value) return op.kind == kind ? &op : nullptr;
    }
    return nullptr;
  }
  // Whether the value is an op of this kind on the two parameters, in either order.
  bool IsOfBoth(ir::ValueId value, OpKind kind) const {
    const ir::Op* op = Find(value, kind);
    const std::vector<ir::ValueId>& p = region_.parameters;
    return op != nullptr &&
           (op->operands == p || op->operands == std::vector<ir::ValueId>{p[1], p[0]});
  }
  // Whether the value is log1p(exp(-|difference|)).
  bool IsRest(ir::ValueId value, ir::ValueId difference) const {
    for (const OpKind kind :
         {OpKind::kLogPlusOne, OpKind::kExponential, OpKind::kNegate, OpKind::kAbs}) {
      const ir::Op* op = Find(value, kind);
      if (op == nullptr) return false;
      value = op->operands[0];
    }
    return value == difference;
  }

  const ir::Region& region_;
};

bool Accumulates(const ir::Function& function, const ir::Region& region,
                 const ir::Literal& initial) {
  if (ir::IsSimpleReducer(function, region) || IsComplexProduct(function, region)) {
    return IsIdentity(CombiningOf(region, 0), initial);
  }
  const DType dtype = initial.type().dtype;
  return ir::IsFloat(dtype) && LogAddExp(region).Matches() &&
         ir::ReadFloat(dtype, initial.bytes().data(), 0) ==
             -std::numeric_limits<double>::infinity();
}

}  // namespace

absl::optional<WindowScan> FindWindowScan(const ir::Function& function, const ir::Op& op,
                                          const ir::Literal* initial) {
  if (op.kind != OpKind::kReduceWindow || op.results.size() != 1 || initial == nullptr) {
    return absl::nullopt;
  }
  const auto& window = op.As<ir::WindowAttributes>();
  const ir::Dims& shape = function.TensorOf(op.operands[0]).dims;
  if (shape != function.TensorOf(op.results[0]).dims || !AllOnes(window.window_strides) ||
      !AllOnes(window.base_dilations) || !AllOnes(window.window_dilations) ||
      window.padding.pairs.size() != shape.size()) {
    return absl::nullopt;
  }
  absl::optional<WindowScan> scan;
  for (size_t d = 0; d < shape.size(); ++d) {
    const std::pair<int64_t, int64_t>& padding = window.padding.pairs[d];
    const int64_t size = window.window_dimensions[d];
    if (size == 1 && padding == std::pair<int64_t, int64_t>(0, 0)) continue;
    const bool forward = padding == std::pair<int64_t, int64_t>(size - 1, 0);
    const bool reverse = padding == std::pair<int64_t, int64_t>(0, size - 1);
    if (size != shape[d] || scan.has_value() || (!forward && !reverse)) return absl::nullopt;
    scan = WindowScan{static_cast<int64_t>(d), reverse};
  }
  if (!scan.has_value() || !Accumulates(function, op.regions[0], *initial)) return absl::nullopt;
  return scan;
}

}  // namespace acceld::kernels
