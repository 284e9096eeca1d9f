#include "kernels/ir/build/combining.h"

#include <limits>

#include "common/check.h"
#include "common/ir/types/float_formats.h"

namespace acceld::kernels {

bool IsCombining(ScalarOp op) {
  return op == ScalarOp::kAdd || op == ScalarOp::kMultiply || op == ScalarOp::kMax ||
         op == ScalarOp::kMin || op == ScalarOp::kAnd || op == ScalarOp::kOr ||
         op == ScalarOp::kXor;
}

uint64_t IdentityOf(ScalarOp combine, DType dtype) {
  const int bits = ir::BitsOf(dtype);
  const uint64_t ones = bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
  const uint64_t sign = uint64_t{1} << (bits - 1);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const bool is_float = ir::IsFloat(dtype);
  switch (combine) {
    case ScalarOp::kAdd:
      return is_float ? sign : 0;  // For floats -0: adding +0 would change -0.
    case ScalarOp::kMultiply:
      return is_float ? ir::EncodeFloat(dtype, 1) : 1;
    case ScalarOp::kMax:
      if (is_float) return ir::EncodeFloat(dtype, -kInfinity);
      return ir::IsSigned(dtype) ? sign : 0;
    case ScalarOp::kMin:
      if (is_float) return ir::EncodeFloat(dtype, kInfinity);
      return ir::IsSigned(dtype) ? sign - 1 : ones;
    case ScalarOp::kAnd:
      return ones;
    case ScalarOp::kOr:
    case ScalarOp::kXor:
      return 0;
    default:
      ACCELD_CHECK(IsCombining(combine));
      return 0;
  }
}

}  // namespace acceld::kernels
