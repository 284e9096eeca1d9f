#include "common/ir/types/float_formats.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "common/check.h"

namespace acceld::ir {
namespace {

// How a format encodes NaN.
enum class NanEncoding : uint8_t {
  kIeee,          // all exponent bits set, mantissa not zero
  kAllOnes,       // every bit but the sign set; the only NaN, and no infinity
  kNegativeZero,  // the bits of -0; the only NaN, and no infinity
  kNone,          // neither NaN nor infinity
};

struct Encoding {
  FloatFormat format;
  NanEncoding nan;
};

constexpr Encoding Ieee(int exponent_bits, int mantissa_bits) {
  return {{.exponent_bits = exponent_bits,
           .mantissa_bits = mantissa_bits,
           .bias = (1 << (exponent_bits - 1)) - 1,
           .has_infinity = true,
           .has_nan = true,
           .has_negative_zero = true,
           .has_sign = true},
          NanEncoding::kIeee};
}

constexpr Encoding Finite(int exponent_bits, int mantissa_bits, int bias, NanEncoding nan) {
  return {{.exponent_bits = exponent_bits,
           .mantissa_bits = mantissa_bits,
           .bias = bias,
           .has_infinity = false,
           .has_nan = nan != NanEncoding::kNone,
           .has_negative_zero = nan != NanEncoding::kNegativeZero,
           .has_sign = true},
          nan};
}

Encoding EncodingOf(DType dtype) {
  switch (dtype) {
    case DType::kF4E2M1FN:
      return Finite(2, 1, 1, NanEncoding::kNone);
    case DType::kF6E2M3FN:
      return Finite(2, 3, 1, NanEncoding::kNone);
    case DType::kF6E3M2FN:
      return Finite(3, 2, 3, NanEncoding::kNone);
    case DType::kF8E3M4:
      return Ieee(3, 4);
    case DType::kF8E4M3:
      return Ieee(4, 3);
    case DType::kF8E4M3FN:
      return Finite(4, 3, 7, NanEncoding::kAllOnes);
    case DType::kF8E4M3FNUZ:
      return Finite(4, 3, 8, NanEncoding::kNegativeZero);
    case DType::kF8E4M3B11FNUZ:
      return Finite(4, 3, 11, NanEncoding::kNegativeZero);
    case DType::kF8E5M2:
      return Ieee(5, 2);
    case DType::kF8E5M2FNUZ:
      return Finite(5, 2, 16, NanEncoding::kNegativeZero);
    case DType::kF8E8M0FNU:
      return {{.exponent_bits = 8,
               .mantissa_bits = 0,
               .bias = 127,
               .has_infinity = false,
               .has_nan = true,
               .has_negative_zero = false,
               .has_sign = false},
              NanEncoding::kAllOnes};
    case DType::kF16:
      return Ieee(5, 10);
    case DType::kBF16:
      return Ieee(8, 7);
    case DType::kF32:
      return Ieee(8, 23);
    case DType::kF64:
      return Ieee(11, 52);
    case DType::kI1:
    case DType::kI2:
    case DType::kI4:
    case DType::kI8:
    case DType::kI16:
    case DType::kI32:
    case DType::kI64:
    case DType::kUI2:
    case DType::kUI4:
    case DType::kUI8:
    case DType::kUI16:
    case DType::kUI32:
    case DType::kUI64:
    case DType::kC64:
    case DType::kC128:
      break;
  }
  ACCELD_CHECK(IsFloat(dtype));
  return Ieee(8, 23);
}

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// f8E8M0FNU: the byte is the exponent, 255 is NaN.
double DecodeExponent(uint64_t bits) {
  return bits == 0xFF ? kNan : std::ldexp(1.0, static_cast<int>(bits) - 127);
}

uint64_t EncodeExponent(double value) {
  if (!(value > 0) || std::isinf(value)) return 0xFF;
  int exponent;
  // value = fraction * 2^exponent with fraction in [0.5, 1); a tie (fraction 0.75) goes up, since
  // the one significant bit of the lower neighbour is odd.
  const double fraction = std::frexp(value, &exponent);
  exponent += fraction >= 0.75 ? 0 : -1;
  if (exponent < -127) return 0;
  return exponent > 127 ? 0xFF : static_cast<uint64_t>(exponent + 127);
}

}  // namespace

FloatFormat FormatOf(DType dtype) { return EncodingOf(dtype).format; }

DType ReducePrecisionTypeOf(DType dtype) {
  if (dtype == DType::kF8E8M0FNU) return DType::kF32;
  return BitsOf(dtype) <= 8 ? DType::kF16 : dtype;
}

bool HasNegativeNan(DType dtype) {
  if (!IsFloat(dtype)) return false;
  const FloatFormat format = FormatOf(dtype);
  return format.has_nan && format.has_sign && !format.has_negative_zero;
}

double DecodeFloat(DType dtype, uint64_t bits) {
  if (dtype == DType::kF64) return std::bit_cast<double>(bits);
  if (dtype == DType::kF32) return std::bit_cast<float>(static_cast<uint32_t>(bits));
  if (dtype == DType::kBF16) return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
  if (dtype == DType::kF8E8M0FNU) return DecodeExponent(bits & 0xFF);

  const Encoding encoding = EncodingOf(dtype);
  const FloatFormat& format = encoding.format;
  const uint64_t mantissa_mask = (uint64_t{1} << format.mantissa_bits) - 1;
  const uint64_t exponent_mask = (uint64_t{1} << format.exponent_bits) - 1;
  const uint64_t mantissa = bits & mantissa_mask;
  const uint64_t exponent = (bits >> format.mantissa_bits) & exponent_mask;
  const bool negative = (bits >> (format.mantissa_bits + format.exponent_bits)) & 1;
  const double sign = negative ? -1.0 : 1.0;

  switch (encoding.nan) {
    case NanEncoding::kIeee:
      if (exponent == exponent_mask) {
        return mantissa == 0 ? sign * kInfinity : std::copysign(kNan, sign);
      }
      break;
    case NanEncoding::kAllOnes:
      if (exponent == exponent_mask && mantissa == mantissa_mask) return std::copysign(kNan, sign);
      break;
    case NanEncoding::kNegativeZero:
      if (negative && exponent == 0 && mantissa == 0) return kNan;
      break;
    case NanEncoding::kNone:
      break;
  }
  if (exponent == 0) {
    return sign * std::ldexp(static_cast<double>(mantissa), 1 - format.bias - format.mantissa_bits);
  }
  return sign * std::ldexp(static_cast<double>(mantissa | (mantissa_mask + 1)),
                           static_cast<int>(exponent) - format.bias - format.mantissa_bits);
}

uint64_t EncodeFloat(DType dtype, double value) {
  if (dtype == DType::kF64) return std::bit_cast<uint64_t>(value);
  if (dtype == DType::kF32) return std::bit_cast<uint32_t>(static_cast<float>(value));
  if (dtype == DType::kF8E8M0FNU) return EncodeExponent(value);

  const Encoding encoding = EncodingOf(dtype);
  const FloatFormat& format = encoding.format;
  const int sign_shift = format.mantissa_bits + format.exponent_bits;
  const uint64_t sign = static_cast<uint64_t>(std::signbit(value)) << sign_shift;
  const uint64_t magnitude_mask = (uint64_t{1} << sign_shift) - 1;
  const uint64_t exponent_mask = (uint64_t{1} << format.exponent_bits) - 1;
  const uint64_t infinity = exponent_mask << format.mantissa_bits;

  uint64_t nan = 0;
  uint64_t largest = 0;  // Bits of the largest finite value.
  switch (encoding.nan) {
    case NanEncoding::kIeee:
      nan = sign | infinity | (uint64_t{1} << (format.mantissa_bits - 1));
      largest = infinity - 1;
      break;
    case NanEncoding::kAllOnes:
      nan = sign | magnitude_mask;
      largest = magnitude_mask - 1;
      break;
    case NanEncoding::kNegativeZero:
      nan = uint64_t{1} << sign_shift;
      largest = magnitude_mask;
      break;
    case NanEncoding::kNone:
      nan = uint64_t{1} << sign_shift;  // -0
      largest = magnitude_mask;
      break;
  }
  if (std::isnan(value)) return nan;
  const uint64_t overflow = format.has_infinity ? (sign | infinity)
                            : format.has_nan    ? nan
                                                : (sign | largest);
  if (std::isinf(value)) return overflow;
  if (value == 0) return format.has_negative_zero ? sign : 0;

  int exponent;
  std::frexp(value, &exponent);  // |value| in [2^(exponent-1), 2^exponent)
  if (exponent - 1 + format.bias > static_cast<int>(exponent_mask)) return overflow;
  // The value in units of the last place at this magnitude (of the subnormals for small values). It
  // is exact, since it is scaled by a power of two. A mantissa that rounds up to the next power of
  // two carries into the exponent by the addition.
  const int biased = std::max(exponent - 1 + format.bias, 1);
  const double scaled = std::ldexp(std::fabs(value), format.mantissa_bits + format.bias - biased);
  const auto units = static_cast<uint64_t>(std::nearbyint(scaled));
  const uint64_t magnitude = (static_cast<uint64_t>(biased - 1) << format.mantissa_bits) + units;
  if (magnitude > largest) return overflow;
  if (magnitude == 0) return format.has_negative_zero ? sign : 0;
  return sign | magnitude;
}

}  // namespace acceld::ir
