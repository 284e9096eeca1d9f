#pragma once

#include "common/ir/chlo/expressions.h"

// The formulas of CHLO ops. Where nothing else is said, operands are f32 or f64. Each follows the
// legalization of the CHLO dialect, on whose rounding expected results depend.
namespace acceld::ir {

// hyperbolic.cc
ValueId ExpandAcosh(Expressions& e, ValueId x);
ValueId ExpandAsinh(Expressions& e, ValueId x);
ValueId ExpandAtanh(Expressions& e, ValueId x);
ValueId ExpandCosh(Expressions& e, ValueId x);  // complex operands, too
ValueId ExpandSinh(Expressions& e, ValueId x);  // complex operands, too

// inverse_trigonometric.cc
ValueId ExpandAcos(Expressions& e, ValueId x);
ValueId ExpandAsin(Expressions& e, ValueId x);
ValueId ExpandAtan(Expressions& e, ValueId x);

// complex.cc: for complex operands.
ValueId ExpandComplexAcos(Expressions& e, ValueId z);
ValueId ExpandComplexAcosh(Expressions& e, ValueId z);
ValueId ExpandComplexAsin(Expressions& e, ValueId z);
ValueId ExpandComplexAsinh(Expressions& e, ValueId z);
ValueId ExpandComplexAtan(Expressions& e, ValueId z);
ValueId ExpandComplexAtanh(Expressions& e, ValueId z);
ValueId ExpandComplexSquare(Expressions& e, ValueId z);

// erf.cc
ValueId ExpandErf(Expressions& e, ValueId x);
ValueId ExpandErfc(Expressions& e, ValueId x);
ValueId ExpandErfInv(Expressions& e, ValueId x);

// gamma.cc
ValueId ExpandLgamma(Expressions& e, ValueId x);
ValueId ExpandDigamma(Expressions& e, ValueId x);
// zeta.cc: the Hurwitz zeta function zeta(x, q), and the n-th derivative of digamma at x.
ValueId ExpandZeta(Expressions& e, ValueId x, ValueId q);
ValueId ExpandPolygamma(Expressions& e, ValueId n, ValueId x);

// bessel.cc: e^-|x| I1(x).
ValueId ExpandBesselI1e(Expressions& e, ValueId x);

// The next number after x towards y. For floats of any width.
ValueId ExpandNextAfter(Expressions& e, ValueId x, ValueId y);
// The upper half of the product of two integers. For any width.
ValueId ExpandMulhi(Expressions& e, ValueId a, ValueId b);

}  // namespace acceld::ir
