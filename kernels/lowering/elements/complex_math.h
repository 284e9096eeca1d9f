#pragma once

#include "kernels/lowering/elements/element.h"

// Functions of complex numbers in terms of real scalar operations. complex<f32> computes in f64 and
// rounds once, which also keeps intermediate values in range; complex<f64> uses formulas that avoid
// cancellation and overflow where that matters. Sources: W. Kahan, "Branch Cuts for Complex
// Elementary Functions"; R. L. Smith, "Algorithm 116: Complex division". Principal branches.
namespace acceld::kernels {

Element ComplexAdd(KernelBuilder& b, const Element& x, const Element& y);
Element ComplexSubtract(KernelBuilder& b, const Element& x, const Element& y);
Element ComplexMultiply(KernelBuilder& b, const Element& x, const Element& y);
Element ComplexDivide(KernelBuilder& b, const Element& x, const Element& y);
// x - y * trunc(x / y), parts truncated separately.
Element ComplexRemainder(KernelBuilder& b, const Element& x, const Element& y);
Element ComplexPower(KernelBuilder& b, const Element& x, const Element& y);
// -i log((x + iy) / sqrt(x^2 + y^2)); the first argument is y.
Element ComplexAtan2(KernelBuilder& b, const Element& y, const Element& x);

Element ComplexAbs(KernelBuilder& b, const Element& x);  // real
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
