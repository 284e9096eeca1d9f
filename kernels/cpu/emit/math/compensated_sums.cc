#include "kernels/cpu/emit/math/compensated_sums.h"

#include "common/ir/types/float_formats.h"

namespace acceld::kernels::cpu {

CompensatedSum TwoSum(StatementWriter& w, const CompensatedSum& sum, Var part) {
  const auto add = [&w](Var a, Var b) { return w.Apply(ScalarOp::kAdd, a, b); };
  const auto subtract = [&w](Var a, Var b) { return w.Apply(ScalarOp::kSubtract, a, b); };
  const Var high = add(sum.high, part);
  const Var of_part = subtract(high, sum.high);
  const Var of_sum = subtract(high, of_part);
  const Var lost = add(subtract(sum.high, of_sum), subtract(part, of_part));
  return {high, add(sum.low, lost)};
}

Var RoundSum(StatementWriter& w, const CompensatedSum& sum) {
  const Var nothing = w.Apply(ScalarOp::kSubtract, sum.high, sum.high);
  const Var is_finite = w.NewVar(DType::kI1);
  const Var zero = Zero(w, w.TypeOf(sum.high));
  w.Append({ScalarStatement{is_finite, ScalarOp::kEq, {nothing, zero}}});
  const Var rounded = w.Apply(ScalarOp::kAdd, sum.high, sum.low);
  const Var result = w.NewVar(w.TypeOf(sum.high));
  w.Append({ScalarStatement{result, ScalarOp::kSelect, {is_finite, rounded, sum.high}}});
  return result;
}

Var Zero(StatementWriter& w, DType dtype) { return w.Constant(dtype, 0); }

Var NegativeZero(StatementWriter& w, DType dtype) {
  return w.Constant(dtype, ir::EncodeFloat(dtype, -0.0));
}

}  // namespace acceld::kernels::cpu
