#include "kernels/cpu/emit/math/narrow_floats.h"

#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "common/ir/types/float_formats.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Intrinsics.h"

namespace acceld::kernels::cpu {
namespace {

using ir::DType;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// Decodes by a table of all values, for formats of at most 8 bits.
llvm::Value* DecodeByTable(CodeContext& code, Builder& b, DType dtype, llvm::Value* bits) {
  const std::string name = absl::StrCat("decode.", ir::DTypeName(dtype));
  llvm::GlobalVariable* table = code.module().getNamedGlobal(name);
  if (table == nullptr) {
    float values[256];
    for (int i = 0; i < 256; ++i) values[i] = static_cast<float>(ir::DecodeFloat(dtype, i));
    llvm::Constant* data = llvm::ConstantDataArray::get(code.llvm(), llvm::ArrayRef<float>(values));
    table = new llvm::GlobalVariable(code.module(), data->getType(), /*isConstant=*/true,
                                     llvm::GlobalValue::PrivateLinkage, data, name);
    table->setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::Global);
    table->setAlignment(llvm::Align(64));
  }
  llvm::Value* address =
      b.CreateInBoundsGEP(b.getFloatTy(), table, b.CreateZExt(bits, b.getInt64Ty()));
  llvm::LoadInst* load = b.CreateAlignedLoad(b.getFloatTy(), address, llvm::Align(4));
  load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(code.llvm(), {}));
  return load;
}

// Decodes f16 without conversion instructions: exponent and mantissa are moved to their positions
// in an f32, then scaled by a power of two, which also handles subnormal numbers.
llvm::Value* DecodeHalfByBits(Builder& b, llvm::Value* bits) {
  llvm::Value* wide = b.CreateZExt(bits, b.getInt32Ty());
  llvm::Value* magnitude = b.CreateShl(b.CreateAnd(wide, 0x7FFF), 13);
  llvm::Value* scaled = b.CreateFMul(b.CreateBitCast(magnitude, b.getFloatTy()),
                                     llvm::ConstantFP::get(b.getFloatTy(), 0x1p112));
  llvm::Value* special = b.CreateOr(magnitude, 0x7F800000);
  llvm::Value* is_special = b.CreateICmpUGE(magnitude, b.getInt32(0x0F800000));
  llvm::Value* result =
      b.CreateSelect(is_special, special, b.CreateBitCast(scaled, b.getInt32Ty()));
  llvm::Value* sign = b.CreateShl(b.CreateAnd(wide, 0x8000), 16);
  return b.CreateBitCast(b.CreateOr(result, sign), b.getFloatTy());
}

llvm::Value* EncodeBf16FromF32(Builder& b, llvm::Value* value) {
  llvm::Value* bits = b.CreateBitCast(value, b.getInt32Ty());
  llvm::Value* odd = b.CreateAnd(b.CreateLShr(bits, 16), 1);
  llvm::Value* rounded = b.CreateAdd(bits, b.CreateAdd(odd, b.getInt32(0x7FFF)));
  llvm::Value* quiet = b.CreateOr(bits, 0x00400000);
  llvm::Value* result = b.CreateSelect(b.CreateFCmpUNO(value, value), quiet, rounded);
  return b.CreateTrunc(b.CreateLShr(result, 16), b.getInt16Ty());
}

// Encodes f8E8M0FNU, which has only an exponent. Ties are rounded up; values without an exponent
// become NaN.
llvm::Value* EncodeExponent(Builder& b, llvm::Value* value) {
  llvm::Value* bits = b.CreateBitCast(value, b.getInt64Ty());
  llvm::Value* exponent = b.CreateLShr(b.CreateAdd(bits, b.getInt64(uint64_t{1} << 51)), 52);
  llvm::Value* biased = b.CreateSub(exponent, b.getInt64(1023 - 127));
  biased = b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, biased, b.getInt64(0));
  biased = b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, biased, b.getInt64(255));
  llvm::Value* positive = b.CreateFCmpOGT(value, llvm::ConstantFP::get(b.getDoubleTy(), 0.0));
  return b.CreateTrunc(b.CreateSelect(positive, biased, b.getInt64(255)), b.getInt8Ty());
}

// Encodes an f64 in any format with sign and mantissa, by integer arithmetic without branches.
llvm::Value* EncodeByBits(Builder& b, DType dtype, llvm::Value* value) {
  const ir::FloatFormat format = ir::FormatOf(dtype);
  const int width = ir::BitsOf(dtype);
  const int dropped = 52 - format.mantissa_bits;
  const uint64_t sign_bit = uint64_t{1} << (width - 1);
  const double min_normal = std::ldexp(1.0, 1 - format.bias);
  // Encodings of the same sign are ordered like their values, so that one comparison detects
  // overflow.
  uint64_t largest = sign_bit - 1;
  while (!std::isfinite(ir::DecodeFloat(dtype, largest))) --largest;

  llvm::Value* bits = b.CreateBitCast(value, b.getInt64Ty());
  llvm::Value* magnitude = b.CreateAnd(bits, ~(uint64_t{1} << 63));

  llvm::Value* odd = b.CreateAnd(b.CreateLShr(magnitude, dropped), 1);
  llvm::Value* half_less_one = b.getInt64((uint64_t{1} << (dropped - 1)) - 1);
  llvm::Value* normal =
      b.CreateLShr(b.CreateAdd(magnitude, b.CreateAdd(odd, half_less_one)), dropped);
  normal = b.CreateSub(
      normal, b.getInt64(static_cast<uint64_t>(1023 - format.bias) << format.mantissa_bits));

  // Adding 2^52 times the smallest subnormal rounds to a multiple of that and leaves the multiple
  // in the low bits.
  const double unit_shift = std::ldexp(min_normal, dropped);
  llvm::Value* shift = llvm::ConstantFP::get(b.getDoubleTy(), unit_shift);
  llvm::Value* shifted = b.CreateFAdd(b.CreateBitCast(magnitude, b.getDoubleTy()), shift);
  llvm::Value* subnormal =
      b.CreateSub(b.CreateBitCast(shifted, b.getInt64Ty()), b.CreateBitCast(shift, b.getInt64Ty()));

  llvm::Value* is_small = b.CreateFCmpOLT(b.CreateBitCast(magnitude, b.getDoubleTy()),
                                          llvm::ConstantFP::get(b.getDoubleTy(), min_normal));
  llvm::Value* result = b.CreateSelect(is_small, subnormal, normal);
  llvm::Value* overflows = b.CreateICmpUGT(result, b.getInt64(largest));
  const bool overflow_is_nan = !format.has_infinity && format.has_nan;
  if (!overflow_is_nan) {
    // Infinity, or the largest value of a format that has none.
    result = b.CreateSelect(overflows, b.getInt64(ir::EncodeFloat(dtype, kInfinity)), result);
  }
  llvm::Value* sign = b.CreateAnd(b.CreateLShr(bits, 64 - width), sign_bit);
  if (!format.has_negative_zero) {
    sign = b.CreateSelect(b.CreateICmpEQ(result, b.getInt64(0)), b.getInt64(0), sign);
  }
  result = b.CreateOr(result, sign);
  llvm::Value* is_nan = b.CreateFCmpUNO(value, value);
  if (overflow_is_nan) is_nan = b.CreateOr(is_nan, overflows);
  llvm::Value* nan = b.getInt64(ir::EncodeFloat(dtype, kNan) & ~sign_bit);
  // Formats that encode NaN as -0 have only that NaN. Formats without NaN give -0 for it.
  nan = format.has_negative_zero && format.has_nan
            ? b.CreateOr(nan, sign)
            : static_cast<llvm::Value*>(b.getInt64(sign_bit));
  return b.CreateTrunc(b.CreateSelect(is_nan, nan, result), b.getIntNTy(width));
}

}  // namespace

llvm::Value* DecodeNarrowFloat(CodeContext& code, Builder& b, DType dtype, llvm::Value* bits) {
  if (dtype == DType::kBF16) {
    return b.CreateBitCast(b.CreateShl(b.CreateZExt(bits, b.getInt32Ty()), 16), b.getFloatTy());
  }
  if (dtype == DType::kF16) {
    if (!code.ConvertsF16()) return DecodeHalfByBits(b, bits);
    return b.CreateFPExt(b.CreateBitCast(bits, b.getHalfTy()), b.getFloatTy());
  }
  return DecodeByTable(code, b, dtype, bits);
}

llvm::Value* EncodeNarrowFloat(CodeContext& code, Builder& b, DType dtype, llvm::Value* value) {
  if (value->getType()->isFloatTy()) {
    if (dtype == DType::kBF16) return EncodeBf16FromF32(b, value);
    if (dtype == DType::kF16 && code.ConvertsF16()) {
      return b.CreateBitCast(b.CreateFPTrunc(value, b.getHalfTy()), b.getInt16Ty());
    }
    value = b.CreateFPExt(value, b.getDoubleTy());  // exact: still one rounding
  }
  if (dtype == DType::kF8E8M0FNU) return EncodeExponent(b, value);
  return EncodeByBits(b, dtype, value);
}

}  // namespace acceld::kernels::cpu
