#include "kernels/ir/analysis/index_range.h"

#include <algorithm>

namespace acceld::kernels {
namespace {

// Bounds beyond this limit count as unknown. It is below the ends of i64, so known bounds fit i64.
constexpr __int128 kLimit = static_cast<__int128>(1) << 62;

IndexRange Checked(__int128 low, __int128 high) {
  if (low < -kLimit || high > kLimit) return IndexRange::Unknown();
  return {static_cast<int64_t>(low), static_cast<int64_t>(high)};
}

}  // namespace

IndexRange RangeOf(ScalarOp op, const IndexRange& a, const IndexRange& b) {
  if (op == ScalarOp::kMin && (a.known() || b.known())) {
    return {std::min(a.low, b.low), std::min(a.high, b.high)};
  }
  if (op == ScalarOp::kMax && (a.known() || b.known())) {
    return {std::max(a.low, b.low), std::max(a.high, b.high)};
  }
  if (op == ScalarOp::kRemainder && b.low == b.high && b.low > 0 && a.low >= 0) {
    return {0, std::min(a.high, b.low - 1)};
  }
  if (!a.known() || !b.known()) return IndexRange::Unknown();
  if (op == ScalarOp::kAdd) {
    return Checked(static_cast<__int128>(a.low) + b.low, static_cast<__int128>(a.high) + b.high);
  }
  if (op == ScalarOp::kSubtract) {
    return Checked(static_cast<__int128>(a.low) - b.high, static_cast<__int128>(a.high) - b.low);
  }
  if (op == ScalarOp::kMultiply) {
    const __int128 corners[] = {
        static_cast<__int128>(a.low) * b.low, static_cast<__int128>(a.low) * b.high,
        static_cast<__int128>(a.high) * b.low, static_cast<__int128>(a.high) * b.high};
    return Checked(*std::min_element(corners, corners + 4),
                   *std::max_element(corners, corners + 4));
  }
  if (op == ScalarOp::kDivide && b.low == b.high && b.low > 0) {
    return {a.low / b.low, a.high / b.low};
  }
  return IndexRange::Unknown();
}

}  // namespace acceld::kernels
