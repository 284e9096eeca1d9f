// Scalar operations of kernel IR (kernels/ir/scalar_ops.def) in CUDA C++.

// --- Integers: `kBits` is the width of the value, which may be less than its register's. ---

template <typename T>
struct UnsignedOf;
template <> struct UnsignedOf<bool> { using Type = u32; };
template <> struct UnsignedOf<i8> { using Type = u32; };
template <> struct UnsignedOf<i16> { using Type = u32; };
template <> struct UnsignedOf<i32> { using Type = u32; };
template <> struct UnsignedOf<i64> { using Type = u64; };
template <> struct UnsignedOf<u8> { using Type = u32; };
template <> struct UnsignedOf<u16> { using Type = u32; };
template <> struct UnsignedOf<u32> { using Type = u32; };
template <> struct UnsignedOf<u64> { using Type = u64; };
// The unsigned type in which values of T are computed: of at least 32 bits, and wrapping.
template <typename T>
using Wide = typename UnsignedOf<T>::Type;

template <typename T>
constexpr bool kSigned = T(-1) < T(0);
template <typename A, typename B>
constexpr bool kIsSame = false;
template <typename A>
constexpr bool kIsSame<A, A> = true;

// The low kBits bits of the value, zero-extended.
template <int kBits, typename T>
__device__ Wide<T> Bits(T x) {
  constexpr int kUnused = 8 * sizeof(Wide<T>) - kBits;
  return Wide<T>(Wide<T>(x) << kUnused) >> kUnused;
}

// The value with these low kBits bits; sign-extended if T is signed.
template <int kBits, typename T>
__device__ T FromBits(Wide<T> bits) {
  if (kBits == 8 * sizeof(T)) return T(bits);
  const Wide<T> sign = Wide<T>(1) << (kBits - 1);
  bits &= 2 * sign - 1;
  return kSigned<T> ? T((bits ^ sign) - sign) : T(bits);
}

template <int kBits, typename T>
__device__ T Add(T a, T b) {
  return FromBits<kBits, T>(Wide<T>(a) + Wide<T>(b));
}
template <int kBits, typename T>
__device__ T Subtract(T a, T b) {
  return FromBits<kBits, T>(Wide<T>(a) - Wide<T>(b));
}
template <int kBits, typename T>
__device__ T Multiply(T a, T b) {
  return FromBits<kBits, T>(Wide<T>(a) * Wide<T>(b));
}
template <int kBits, typename T>
__device__ T Negate(T a) {
  return FromBits<kBits, T>(0 - Wide<T>(a));
}
template <int kBits, typename T>
__device__ T Abs(T a) {
  return a < T(0) ? Negate<kBits>(a) : a;
}
template <int kBits, typename T>
__device__ T Not(T a) {
  return FromBits<kBits, T>(~Wide<T>(a));
}
template <int kBits, typename T>
__device__ T Divide(T a, T b) {
  if (b == 0) return FromBits<kBits, T>(~Wide<T>(0));
  if (kSigned<T> && b == T(-1)) return Negate<kBits>(a);
  return T(a / b);
}
template <int kBits, typename T>
__device__ T Remainder(T a, T b) {
  if (b == 0) return a;
  if (kSigned<T> && b == T(-1)) return 0;
  return T(a % b);
}
template <int kBits, typename T>
__device__ T Power(T base, T exponent) {
  if (kSigned<T> && exponent < T(0)) {
    if (base == T(1)) return 1;
    if (base == T(-1)) return Bits<kBits>(exponent) & 1 ? T(-1) : T(1);
    return 0;
  }
  Wide<T> product = 1, square = Wide<T>(base);
  for (Wide<T> rest = Bits<kBits>(exponent); rest != 0; rest >>= 1) {
    if (rest & 1) product *= square;
    square *= square;
  }
  return FromBits<kBits, T>(product);
}
template <int kBits, typename T>
__device__ T ShiftLeft(T a, T amount) {
  const Wide<T> by = Bits<kBits>(amount);
  return by < kBits ? FromBits<kBits, T>(Wide<T>(a) << by) : T(0);
}
template <int kBits, typename T>
__device__ T ShiftRightLogical(T a, T amount) {
  const Wide<T> by = Bits<kBits>(amount);
  return by < kBits ? FromBits<kBits, T>(Bits<kBits>(a) >> by) : T(0);
}
template <int kBits, typename T>
__device__ T ShiftRightArithmetic(T a, T amount) {
  const Wide<T> by = Bits<kBits>(amount);
  const int within = by < kBits ? int(by) : kBits - 1;
  if (kSigned<T>) return T(a >> within);
  // The highest bit counts as the sign even if T is unsigned.
  const Wide<T> bits = Bits<kBits>(a);
  const Wide<T> sign = Wide<T>(0) - (bits >> (kBits - 1));
  return FromBits<kBits, T>(bits >> within | (within == 0 ? 0 : sign << (kBits - within)));
}
template <int kBits, typename T>
__device__ T CountLeadingZeros(T a) {
  const Wide<T> bits = Bits<kBits>(a);
  constexpr int kUnused = 8 * int(sizeof(Wide<T>)) - kBits;
  return FromBits<kBits, T>(
      Wide<T>((sizeof(Wide<T>) == 8 ? __clzll(i64(bits)) : __clz(int(bits))) - kUnused));
}
template <int kBits, typename T>
__device__ T Popcnt(T a) {
  const Wide<T> bits = Bits<kBits>(a);
  return FromBits<kBits, T>(Wide<T>(sizeof(bits) == 8 ? __popcll(bits) : __popc(u32(bits))));
}

// --- Any type. ---

template <typename To, typename From>
__device__ To Bitcast(From from) {
  static_assert(sizeof(To) == sizeof(From), "a bitcast keeps the size");
  union {
    From from;
    To to;
  } both = {from};
  return both.to;
}

template <typename T>
__device__ T Max(T a, T b) {
  return a < b ? b : a;
}
template <typename T>
__device__ T Min(T a, T b) {
  return b < a ? b : a;
}
// The result is NaN if an operand is NaN, and -0 is less than +0.
__device__ inline f32 Max(f32 a, f32 b) {
  if (a != a || b != b) return a + b;
  if (a == b) return Bitcast<f32>(Bitcast<u32>(a) & Bitcast<u32>(b));
  return a < b ? b : a;
}
__device__ inline f32 Min(f32 a, f32 b) {
  if (a != a || b != b) return a + b;
  if (a == b) return Bitcast<f32>(Bitcast<u32>(a) | Bitcast<u32>(b));
  return a < b ? a : b;
}
__device__ inline f64 Max(f64 a, f64 b) {
  if (a != a || b != b) return a + b;
  if (a == b) return Bitcast<f64>(Bitcast<u64>(a) & Bitcast<u64>(b));
  return a < b ? b : a;
}
__device__ inline f64 Min(f64 a, f64 b) {
  if (a != a || b != b) return a + b;
  if (a == b) return Bitcast<f64>(Bitcast<u64>(a) | Bitcast<u64>(b));
  return a < b ? a : b;
}

// --- Floats. ---

#define ACCELD_UNARY(Name, of_f32, of_f64)                  \
  __device__ inline f32 Name(f32 x) { return of_f32(x); }   \
  __device__ inline f64 Name(f64 x) { return of_f64(x); }
ACCELD_UNARY(Abs, fabsf, fabs)
ACCELD_UNARY(Acos, acosf, acos)
ACCELD_UNARY(Acosh, acoshf, acosh)
ACCELD_UNARY(Asin, asinf, asin)
ACCELD_UNARY(Asinh, asinhf, asinh)
ACCELD_UNARY(Atan, atanf, atan)
ACCELD_UNARY(Atanh, atanhf, atanh)
ACCELD_UNARY(Cbrt, cbrtf, cbrt)
ACCELD_UNARY(Ceil, ceilf, ceil)
ACCELD_UNARY(Cos, cosf, cos)
ACCELD_UNARY(Cosh, coshf, cosh)
ACCELD_UNARY(Erf, erff, erf)
ACCELD_UNARY(Erfc, erfcf, erfc)
ACCELD_UNARY(Exp, expf, exp)
ACCELD_UNARY(Expm1, expm1f, expm1)
ACCELD_UNARY(Floor, floorf, floor)
ACCELD_UNARY(Lgamma, lgammaf, lgamma)
ACCELD_UNARY(Log, logf, log)
ACCELD_UNARY(Log1p, log1pf, log1p)
ACCELD_UNARY(RoundAfz, roundf, round)
ACCELD_UNARY(RoundEven, rintf, rint)
ACCELD_UNARY(Rsqrt, rsqrtf, rsqrt)
ACCELD_UNARY(Sin, sinf, sin)
ACCELD_UNARY(Sinh, sinhf, sinh)
ACCELD_UNARY(Sqrt, sqrtf, sqrt)
ACCELD_UNARY(Tan, tanf, tan)
ACCELD_UNARY(Tanh, tanhf, tanh)
#undef ACCELD_UNARY

// 1 / (1 + exp(-x)), computed without overflow of exp.
template <typename T>
__device__ T Logistic(T x) {
  const T e = Exp(-Abs(x));
  return (x < 0 ? e : 1) / (1 + e);
}
__device__ inline f32 Atan2(f32 y, f32 x) { return atan2f(y, x); }
__device__ inline f64 Atan2(f64 y, f64 x) { return atan2(y, x); }
__device__ inline f32 Power(f32 x, f32 y) { return powf(x, y); }
__device__ inline f64 Power(f64 x, f64 y) { return pow(x, y); }
__device__ inline f32 Remainder(f32 x, f32 y) { return fmodf(x, y); }
__device__ inline f64 Remainder(f64 x, f64 y) { return fmod(x, y); }
__device__ inline f32 Fma(f32 a, f32 b, f32 c) { return fmaf(a, b, c); }
__device__ inline f64 Fma(f64 a, f64 b, f64 c) { return fma(a, b, c); }
template <typename T>
__device__ bool IsFinite(T x) {
  return x - x == 0;
}

// --- Conversions. ---

template <int kBits, typename T>
__device__ T ToInteger(f64 x) {
  if (x != x) return 0;
  constexpr Wide<T> kTop = Wide<T>(1) << (kBits - 1);
  constexpr T kLargest = T(kSigned<T> ? kTop - 1 : kTop - 1 + kTop);
  // The largest value plus one, which f64 represents exactly.
  constexpr f64 kEnd = kSigned<T> ? f64(kTop) : 2 * f64(kTop);
  if (x >= kEnd) return kLargest;
  if (!kSigned<T>) return x <= 0 ? T(0) : T(x);
  return x < -kEnd ? T(-i64(kTop - 1) - 1) : T(x);
}

enum class Nan { kIeee, kAllOnes, kNegativeZero, kNone };

// A floating-point format of fewer than 32 bits, as in common/ir/types/float_formats.h.
template <int kExponent, int kMantissa, int kExponentBias, Nan kNan>
struct FloatFormat {
  static constexpr int kExponentBits = kExponent, kMantissaBits = kMantissa, kBias = kExponentBias;
  static constexpr u32 kSign = 1u << (kExponent + kMantissa);
  static constexpr u32 kInfinity = ((1u << kExponent) - 1) << kMantissa;
  static constexpr bool kHasInfinity = kNan == Nan::kIeee;
  static constexpr bool kHasNan = kNan != Nan::kNone;
  static constexpr bool kHasNegativeZero = kNan != Nan::kNegativeZero;
  static constexpr u32 kLargest = kNan == Nan::kIeee      ? kInfinity - 1
                                  : kNan == Nan::kAllOnes ? kSign - 2
                                                          : kSign - 1;
  // The encoding of NaN. In formats without NaN it is that of -0.
  __device__ static u32 NanBits(u32 sign) {
    return kNan == Nan::kIeee      ? sign | kInfinity | 1u << (kMantissa - 1)
           : kNan == Nan::kAllOnes ? sign | (kSign - 1)
                                   : kSign;
  }
  __device__ static bool IsNan(u32 bits) {
    return kNan == Nan::kIeee      ? (bits & (kSign - 1)) > kInfinity
           : kNan == Nan::kAllOnes ? (bits & (kSign - 1)) == kSign - 1
                                   : kHasNan && bits == kSign;
  }
};
using F16 = FloatFormat<5, 10, 15, Nan::kIeee>;
using BF16 = FloatFormat<8, 7, 127, Nan::kIeee>;
using F4E2M1FN = FloatFormat<2, 1, 1, Nan::kNone>;
using F6E2M3FN = FloatFormat<2, 3, 1, Nan::kNone>;
using F6E3M2FN = FloatFormat<3, 2, 3, Nan::kNone>;
using F8E3M4 = FloatFormat<3, 4, 3, Nan::kIeee>;
using F8E4M3 = FloatFormat<4, 3, 7, Nan::kIeee>;
using F8E4M3FN = FloatFormat<4, 3, 7, Nan::kAllOnes>;
using F8E4M3FNUZ = FloatFormat<4, 3, 8, Nan::kNegativeZero>;
using F8E4M3B11FNUZ = FloatFormat<4, 3, 11, Nan::kNegativeZero>;
using F8E5M2 = FloatFormat<5, 2, 15, Nan::kIeee>;
using F8E5M2FNUZ = FloatFormat<5, 2, 16, Nan::kNegativeZero>;
struct F8E8M0FNU {};  // has only an exponent

template <typename Format>
struct Narrow {
  __device__ static f32 Decode(u32 bits) {
    const u32 sign = (bits & Format::kSign) != 0 ? 0x80000000u : 0;
    if (Format::IsNan(bits)) return Bitcast<f32>(sign | 0x7fc00000u);
    const u32 magnitude = bits & (Format::kSign - 1);
    if (Format::kHasInfinity && magnitude == Format::kInfinity) {
      return Bitcast<f32>(sign | 0x7f800000u);
    }
    if (magnitude >> Format::kMantissaBits == 0) {
      // A subnormal: a multiple of the smallest one. The product is exact.
      constexpr int kUnit = 1 - Format::kBias - Format::kMantissaBits;
      const f32 value = kUnit < -126 ? f32(magnitude) * Bitcast<f32>(u32(kUnit + 149 < 0 ? 0 : 1u << (kUnit + 149)))
                                     : f32(magnitude) * Bitcast<f32>(u32(kUnit + 127) << 23);
      return Bitcast<f32>(sign | Bitcast<u32>(value));
    }
    return Bitcast<f32>(sign | ((magnitude << (23 - Format::kMantissaBits)) +
                                (u32(127 - Format::kBias) << 23)));
  }
  // Rounds to nearest, ties to even.
  __device__ static u32 Encode(f64 value) {
    const u64 wide = Bitcast<u64>(value);
    const u32 sign = wide >> 63 != 0 ? Format::kSign : 0;
    const u64 magnitude = wide & ~(1ull << 63);
    if (magnitude > 0x7ff0000000000000ull) return Format::NanBits(sign);
    const u32 overflow = Format::kHasInfinity ? sign | Format::kInfinity
                         : Format::kHasNan    ? Format::NanBits(sign)
                                              : sign | Format::kLargest;
    const int exponent = int(magnitude >> 52) - 1023;
    const int above = exponent + Format::kBias - 1;  // exponent minus the lowest normal exponent
    if (above >= 1 << Format::kExponentBits) return overflow;
    const int dropped = 52 - Format::kMantissaBits + (above < 0 ? -above : 0);
    u64 rounded = 0;
    if (dropped < 55) {
      const u64 mantissa = (magnitude & ((1ull << 52) - 1)) | 1ull << 52;
      const u64 half = 1ull << (dropped - 1);
      rounded = (mantissa + half - 1 + (mantissa >> dropped & 1)) >> dropped;
    }
    // Adding the mantissa with its leading bit increments the exponent field by one.
    const u32 bits = u32(rounded) + (u32(above < 0 ? 0 : above) << Format::kMantissaBits);
    if (bits > Format::kLargest) return overflow;
    if (bits == 0 && !Format::kHasNegativeZero) return 0;
    return sign | bits;
  }
};
template <>
struct Narrow<F8E8M0FNU> {
  __device__ static f32 Decode(u32 bits) {
    if (bits == 0xff) return Bitcast<f32>(0x7fc00000u);
    return Bitcast<f32>(bits == 0 ? 0x00400000u : bits << 23);
  }
  __device__ static u32 Encode(f64 value) {
    const u64 bits = Bitcast<u64>(value);
    // Negative numbers, zeros, infinity and NaN have no encoding and become NaN.
    if (bits - 1 >= 0x7ff0000000000000ull - 1) return 0xff;
    // Rounds to the nearest power of two, ties up. Small values become the smallest one.
    const int exponent = int((bits + (1ull << 51)) >> 52) - 1023 + 127;
    return exponent < 0 ? 0 : exponent > 254 ? 0xff : u32(exponent);
  }
};

template <typename Format>
__device__ f32 Decode(u32 bits) {
#ifdef __CUDA_ARCH__
  if constexpr (kIsSame<Format, F16>) {
    f32 value;
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(u16(bits)));
    return value;
  }
#endif
  if constexpr (kIsSame<Format, BF16>) return Bitcast<f32>(bits << 16);
  return Narrow<Format>::Decode(bits);
}

template <typename Format>
__device__ u32 Encode(f64 value) {
  return Narrow<Format>::Encode(value);
}
template <typename Format>
__device__ u32 Encode(f32 value) {
#ifdef __CUDA_ARCH__
  if constexpr (kIsSame<Format, F16>) {
    u16 bits;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value));
    return value != value ? F16::NanBits(Bitcast<u32>(value) >> 31 << 15) : bits;
  }
#endif
  if constexpr (kIsSame<Format, BF16>) {
    const u32 bits = Bitcast<u32>(value);
    if (value != value) return (bits >> 16 & 0x8000u) | 0x7fc0u;
    return (bits + 0x7fffu + (bits >> 16 & 1)) >> 16;
  }
  return Narrow<Format>::Encode(f64(value));
}
