#include <numbers>

#include "common/ir/chlo/formulas.h"

// Inverse trigonometric functions, by the formulas of the CHLO dialect for real operands.
namespace acceld::ir {
namespace {

// sqrt(1 - x^2), without cancellation near 1.
ValueId OtherLeg(Expressions& e, ValueId x) {
  const ValueId one = e.Constant(1);
  return e.Unary(OpKind::kSqrt, e.Mul(e.Sub(one, x), e.Add(one, x)));
}

}  // namespace

ValueId ExpandAcos(Expressions& e, ValueId x) {
  const ValueId half = e.Binary(OpKind::kAtan2, OtherLeg(e, x), e.Add(e.Constant(1), x));
  return e.Select(e.Compare(ComparisonDirection::kNe, x, e.Constant(-1)),
                  e.Mul(e.Constant(2), half), e.Constant(std::numbers::pi));
}

ValueId ExpandAsin(Expressions& e, ValueId x) {
  const ValueId half = e.Binary(OpKind::kAtan2, x, e.Add(e.Constant(1), OtherLeg(e, x)));
  return e.Mul(e.Constant(2), half);
}

ValueId ExpandAtan(Expressions& e, ValueId x) { return e.Binary(OpKind::kAtan2, x, e.Constant(1)); }

}  // namespace acceld::ir
