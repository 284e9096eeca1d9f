#pragma once

#include "kernels/lowering/elements/element.h"

// Functions of complex numbers, built from real scalar operations. Each returns the principal
// value. All but ComplexAdd and ComplexSubtract compute in f64 and round the result once for
// complex<f32>, which also keeps intermediate values in range; where it matters for complex<f64>,
// the formulas avoid cancellation and overflow. Sources: W. Kahan, "Branch Cuts for Complex
// Elementary Functions"; R. L. Smith, "Algorithm 116: Complex division".
namespace acceld::kernels {

Element ComplexAdd(KernelBuilder& b, const Element& x, const Element& y);
Element ComplexSubtract(KernelBuilder& b, const Element& x, const Element& y);
Element ComplexMultiply(KernelBuilder& b, const Element& x, const Element& y);
Element ComplexDivide(KernelBuilder& b, const Element& x, const Element& y);
// x - y * trunc(x / y), where trunc truncates the real and the imaginary part separately.
Element ComplexRemainder(KernelBuilder& b, const Element& x, const Element& y);
Element ComplexPower(KernelBuilder& b, const Element& x, const Element& y);
// -i log((x + iy) / sqrt(x^2 + y^2)).
Element ComplexAtan2(KernelBuilder& b, const Element& y, const Element& x);

Element ComplexAbs(KernelBuilder& b, const Element& x);  // the result is real
Element ComplexCbrt(KernelBuilder& b, const Element& x);
Element ComplexCos(KernelBuilder& b, const Element& x);
Element ComplexExp(KernelBuilder& b, const Element& x);
Element ComplexExpm1(KernelBuilder& b, const Element& x);
Element ComplexLog(KernelBuilder& b, const Element& x);
Element ComplexLog1p(KernelBuilder& b, const Element& x);
Element ComplexLogistic(KernelBuilder& b, const Element& x);
Element ComplexRsqrt(KernelBuilder& b, const Element& x);
Element ComplexSign(KernelBuilder& b, const Element& x);
Element ComplexSin(KernelBuilder& b, const Element& x);
Element ComplexSqrt(KernelBuilder& b, const Element& x);
Element ComplexTan(KernelBuilder& b, const Element& x);
Element ComplexTanh(KernelBuilder& b, const Element& x);

}  // namespace acceld::kernels
