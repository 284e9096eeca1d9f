#include <algorithm>
#include <bit>

#include "common/ir/interpreter/elements/elementwise.h"

// Elementwise ops on i1 and integers. Arithmetic is done in uint64_t, where it wraps; the caller
// wraps the result to the width of its type. Source: StableHLO specification; cases that it leaves
// open (division by zero) follow JAX on the CPU.
namespace acceld::ir::interpreter {
namespace {

uint64_t U(const Scalar& value) { return static_cast<uint64_t>(value.integer); }
Scalar FromBits(uint64_t bits) { return OfInteger(static_cast<int64_t>(bits)); }

// i1 orders false before true, as an unsigned number does.
bool Less(DType dtype, const Scalar& a, const Scalar& b) {
  return IsSigned(dtype) ? a.integer < b.integer : U(a) < U(b);
}

// The amount of a shift, which is unsigned whatever the type.
uint64_t ShiftAmount(const ElementContext& c, const Scalar& amount) {
  return UnsignedBits(c.operand, amount.integer);
}

}  // namespace

bool Holds(ComparisonDirection direction, int order) {
  switch (direction) {
    case ComparisonDirection::kEq:
      return order == 0;
    case ComparisonDirection::kNe:
      return order != 0;
    case ComparisonDirection::kGe:
      return order >= 0;
    case ComparisonDirection::kGt:
      return order > 0;
    case ComparisonDirection::kLe:
      return order <= 0;
    case ComparisonDirection::kLt:
      return order < 0;
  }
  return false;
}

Scalar EvalAbsInteger(const ElementContext&, const Scalar* a) {
  return a[0].integer < 0 ? FromBits(0 - U(a[0])) : a[0];
}

// On i1, addition is "or" and multiplication is "and".
Scalar EvalAddInteger(const ElementContext& c, const Scalar* a) {
  return FromBits(c.operand == DType::kI1 ? U(a[0]) | U(a[1]) : U(a[0]) + U(a[1]));
}

Scalar EvalAndInteger(const ElementContext&, const Scalar* a) {
  return FromBits(U(a[0]) & U(a[1]));
}

// min(max(x, lo), hi): with lo > hi the result is hi.
Scalar EvalClampInteger(const ElementContext& c, const Scalar* a) {
  const Scalar& raised = Less(c.operand, a[1], a[0]) ? a[0] : a[1];
  return Less(c.operand, a[2], raised) ? a[2] : raised;
}

Scalar EvalCompareInteger(const ElementContext& c, const Scalar* a) {
  const int order = Less(c.operand, a[0], a[1]) ? -1 : (Less(c.operand, a[1], a[0]) ? 1 : 0);
  return OfInteger(
      Holds(std::get<CompareAttributes>(*c.attributes).comparison_direction, order) ? 1 : 0);
}

Scalar EvalCountLeadingZerosInteger(const ElementContext& c, const Scalar* a) {
  const int unused = 64 - BitsOf(c.operand);
  return OfInteger(std::countl_zero(UnsignedBits(c.operand, a[0].integer)) - unused);
}

// Division never traps: by zero it gives -1 (all ones), and the smallest integer by -1 gives
// itself.
Scalar EvalDivideInteger(const ElementContext& c, const Scalar* a) {
  if (a[1].integer == 0) return OfInteger(-1);
  if (IsUnsigned(c.operand)) return FromBits(U(a[0]) / U(a[1]));
  if (a[1].integer == -1) return FromBits(0 - U(a[0]));
  return OfInteger(a[0].integer / a[1].integer);
}

Scalar EvalMaximumInteger(const ElementContext& c, const Scalar* a) {
  return Less(c.operand, a[0], a[1]) ? a[1] : a[0];
}

Scalar EvalMinimumInteger(const ElementContext& c, const Scalar* a) {
  return Less(c.operand, a[1], a[0]) ? a[1] : a[0];
}

Scalar EvalMultiplyInteger(const ElementContext& c, const Scalar* a) {
  return FromBits(c.operand == DType::kI1 ? U(a[0]) & U(a[1]) : U(a[0]) * U(a[1]));
}

Scalar EvalNegateInteger(const ElementContext&, const Scalar* a) { return FromBits(0 - U(a[0])); }

Scalar EvalNotInteger(const ElementContext&, const Scalar* a) { return FromBits(~U(a[0])); }

Scalar EvalOrInteger(const ElementContext&, const Scalar* a) { return FromBits(U(a[0]) | U(a[1])); }

Scalar EvalPopcntInteger(const ElementContext& c, const Scalar* a) {
  return OfInteger(std::popcount(UnsignedBits(c.operand, a[0].integer)));
}

// A negative exponent gives the integer part of the exact result: 0, except for bases 1 and -1.
// 0 to a negative exponent gives 0 too.
Scalar EvalPowerInteger(const ElementContext& c, const Scalar* a) {
  uint64_t exponent = U(a[1]);
  if (IsSigned(c.operand) && a[1].integer < 0) {
    if (a[0].integer == 1) return OfInteger(1);
    if (a[0].integer == -1) return OfInteger(exponent % 2 == 0 ? 1 : -1);
    return OfInteger(0);
  }
  uint64_t result = 1;
  for (uint64_t base = U(a[0]); exponent != 0; exponent >>= 1, base *= base) {
    if (exponent & 1) result *= base;
  }
  return FromBits(result);
}

// The sign is the dividend's; by zero it gives the dividend.
Scalar EvalRemainderInteger(const ElementContext& c, const Scalar* a) {
  if (a[1].integer == 0) return a[0];
  if (IsUnsigned(c.operand)) return FromBits(U(a[0]) % U(a[1]));
  if (a[1].integer == -1) return OfInteger(0);
  return OfInteger(a[0].integer % a[1].integer);
}

Scalar EvalSelectInteger(const ElementContext&, const Scalar* a) {
  return a[0].integer != 0 ? a[1] : a[2];
}

// Shifts by the width or more give 0 (copies of the sign bit for the arithmetic one).
Scalar EvalShiftLeftInteger(const ElementContext& c, const Scalar* a) {
  const uint64_t amount = ShiftAmount(c, a[1]);
  return amount >= static_cast<uint64_t>(BitsOf(c.operand)) ? OfInteger(0)
                                                            : FromBits(U(a[0]) << amount);
}

Scalar EvalShiftRightArithmeticInteger(const ElementContext& c, const Scalar* a) {
  const int unused = 64 - BitsOf(c.operand);
  const auto widened = static_cast<int64_t>(U(a[0]) << unused) >> unused;
  return OfInteger(widened >> std::min<uint64_t>(ShiftAmount(c, a[1]), 63));
}

Scalar EvalShiftRightLogicalInteger(const ElementContext& c, const Scalar* a) {
  const uint64_t amount = ShiftAmount(c, a[1]);
  return amount >= static_cast<uint64_t>(BitsOf(c.operand))
             ? OfInteger(0)
             : FromBits(UnsignedBits(c.operand, a[0].integer) >> amount);
}

Scalar EvalSignInteger(const ElementContext&, const Scalar* a) {
  return OfInteger((a[0].integer > 0 ? 1 : 0) - (a[0].integer < 0 ? 1 : 0));
}

Scalar EvalSubtractInteger(const ElementContext&, const Scalar* a) {
  return FromBits(U(a[0]) - U(a[1]));
}

Scalar EvalXorInteger(const ElementContext&, const Scalar* a) {
  return FromBits(U(a[0]) ^ U(a[1]));
}

}  // namespace acceld::ir::interpreter
