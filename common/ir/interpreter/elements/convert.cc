#include <bit>
#include <cmath>
#include <limits>

#include "common/ir/interpreter/elements/elementwise.h"

// Conversion between element types. Source: StableHLO specification, "convert"; floats to integers
// saturate, as JAX does.
namespace acceld::ir::interpreter {
namespace {

// Returns a float that rounds to any narrower format as the integer itself would. An integer that
// is no double becomes the nearest double toward zero with its last bit set ("round to odd"), so
// that rounding twice is the same as rounding once.
double ToDoubleForRounding(uint64_t magnitude) {
  const int excess = 64 - std::countl_zero(magnitude) - 53;
  if (excess <= 0) return static_cast<double>(magnitude);
  const uint64_t dropped = magnitude & ((uint64_t{1} << excess) - 1);
  const uint64_t kept = (magnitude >> excess) | (dropped != 0 ? 1 : 0);
  return std::ldexp(static_cast<double>(kept), excess);
}

double IntegerToReal(DType from, DType to, int64_t value) {
  const bool is_negative = IsSigned(from) && value < 0;
  const auto bits = static_cast<uint64_t>(value);
  const uint64_t magnitude = is_negative ? 0 - bits : bits;
  const double real =
      to == DType::kF64 ? static_cast<double>(magnitude) : ToDoubleForRounding(magnitude);
  return is_negative ? -real : real;
}

// NaN becomes 0, a value out of range the nearest bound; fractions are dropped.
int64_t RealToInteger(DType to, double value) {
  if (std::isnan(value)) return 0;
  const int bits = BitsOf(to);
  if (IsSigned(to)) {
    const double end = std::ldexp(1.0, bits - 1);
    if (value >= end) return std::numeric_limits<int64_t>::max() >> (64 - bits);
    if (value < -end) return std::numeric_limits<int64_t>::min() >> (64 - bits);
    return static_cast<int64_t>(value);
  }
  if (value >= std::ldexp(1.0, bits)) {
    return static_cast<int64_t>(std::numeric_limits<uint64_t>::max() >> (64 - bits));
  }
  return value < 0 ? 0 : static_cast<int64_t>(static_cast<uint64_t>(value));
}

}  // namespace

Scalar EvalConvertInteger(const ElementContext& c, const Scalar* a) {
  switch (ClassOf(c.result)) {
    case DTypeClass::kBool:
      return OfInteger(a[0].integer != 0 ? 1 : 0);
    case DTypeClass::kSigned:
    case DTypeClass::kUnsigned:
      return a[0];
    case DTypeClass::kFloat:
    case DTypeClass::kComplex:
      return OfReal(IntegerToReal(c.operand, RealPartOf(c.result), a[0].integer));
  }
  return {};
}

Scalar EvalConvertReal(const ElementContext& c, const Scalar* a) {
  switch (ClassOf(c.result)) {
    case DTypeClass::kBool:
      return OfInteger(a[0].real() != 0 ? 1 : 0);  // NaN is true.
    case DTypeClass::kSigned:
    case DTypeClass::kUnsigned:
      return OfInteger(RealToInteger(c.result, a[0].real()));
    case DTypeClass::kFloat:
    case DTypeClass::kComplex:
      return a[0];
  }
  return {};
}

// To real types: the imaginary part is dropped (for i1 it counts).
Scalar EvalConvertComplex(const ElementContext& c, const Scalar* a) {
  switch (ClassOf(c.result)) {
    case DTypeClass::kBool:
      return OfInteger(a[0].complex != Complex(0, 0) ? 1 : 0);
    case DTypeClass::kSigned:
    case DTypeClass::kUnsigned:
      return OfInteger(RealToInteger(c.result, a[0].real()));
    case DTypeClass::kFloat:
      return OfReal(a[0].real());
    case DTypeClass::kComplex:
      return a[0];
  }
  return {};
}

}  // namespace acceld::ir::interpreter
