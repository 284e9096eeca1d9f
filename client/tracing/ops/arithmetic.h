#pragma once

#include "client/tracing/tensor.h"

// Operations on each element: arithmetic, functions of mathematics, comparisons and logic. Names
// and values are those of jax.numpy and jax.lax, where nothing else is said.
namespace acceld::client {

// Arithmetic. Division of integers truncates towards zero, as in C++.
Tensor operator+(const Operand& a, const Operand& b);
Tensor operator-(const Operand& a, const Operand& b);
Tensor operator*(const Operand& a, const Operand& b);
Tensor operator/(const Operand& a, const Operand& b);
Tensor operator-(const Operand& a);
Tensor Maximum(const Operand& a, const Operand& b);
Tensor Minimum(const Operand& a, const Operand& b);
Tensor Power(const Operand& a, const Operand& b);
// The remainder of a truncating division, which has the sign of `a`.
Tensor Remainder(const Operand& a, const Operand& b);
// The quotient rounded down, and its remainder, which has the sign of `b` (numpy.floor_divide and
// numpy.mod).
Tensor FloorDivide(const Operand& a, const Operand& b);
Tensor Mod(const Operand& a, const Operand& b);
// `a` between two bounds.
Tensor Clip(const Operand& a, const Operand& lowest, const Operand& highest);

Tensor Abs(const Operand& a);
Tensor Sign(const Operand& a);
Tensor Square(const Operand& a);
Tensor Reciprocal(const Operand& a);
Tensor Sqrt(const Operand& a);
Tensor Rsqrt(const Operand& a);
Tensor Cbrt(const Operand& a);
Tensor Hypot(const Operand& a, const Operand& b);

Tensor Exp(const Operand& a);
Tensor Exp2(const Operand& a);
Tensor Expm1(const Operand& a);
Tensor Log(const Operand& a);
Tensor Log2(const Operand& a);
Tensor Log10(const Operand& a);
Tensor Log1p(const Operand& a);
// log(exp(a) + exp(b)), without overflow.
Tensor LogAddExp(const Operand& a, const Operand& b);
// 1 / (1 + exp(-a)).
Tensor Logistic(const Operand& a);

Tensor Sin(const Operand& a);
Tensor Cos(const Operand& a);
Tensor Tan(const Operand& a);
Tensor Asin(const Operand& a);
Tensor Acos(const Operand& a);
Tensor Atan(const Operand& a);
Tensor Atan2(const Operand& y, const Operand& x);
Tensor Sinh(const Operand& a);
Tensor Cosh(const Operand& a);
Tensor Tanh(const Operand& a);
Tensor Deg2Rad(const Operand& a);
Tensor Rad2Deg(const Operand& a);
Tensor Asinh(const Operand& a);
Tensor Acosh(const Operand& a);
Tensor Atanh(const Operand& a);

// The error function, its complement and its inverse.
Tensor Erf(const Operand& a);
Tensor Erfc(const Operand& a);
Tensor ErfInv(const Operand& a);
// The logarithm of the absolute value of the gamma function, and its derivatives: the first, and
// that of order n + 1.
Tensor Lgamma(const Operand& a);
Tensor Digamma(const Operand& a);
Tensor Polygamma(const Operand& n, const Operand& a);
// The Hurwitz zeta function.
Tensor Zeta(const Operand& s, const Operand& q);

Tensor Floor(const Operand& a);
Tensor Ceil(const Operand& a);
// To the nearest integer, from the middle to the even one.
Tensor Round(const Operand& a);
// Towards zero.
Tensor Trunc(const Operand& a);
// The next number after `a` towards `b`.
Tensor NextAfter(const Operand& a, const Operand& b);

// Complex numbers: from real and imaginary parts, and the parts, conjugate and angle of them. Real
// numbers are taken for complex ones without an imaginary part.
Tensor Complex(const Operand& real, const Operand& imaginary);
Tensor Real(const Operand& a);
Tensor Imag(const Operand& a);
Tensor Conj(const Operand& a);
Tensor Angle(const Operand& a);

// Bits of integers, and truth values of type i1. ShiftRight repeats the sign of signed integers.
Tensor operator&(const Operand& a, const Operand& b);
Tensor operator|(const Operand& a, const Operand& b);
Tensor operator^(const Operand& a, const Operand& b);
Tensor operator~(const Operand& a);
Tensor ShiftLeft(const Operand& a, const Operand& bits);
Tensor ShiftRight(const Operand& a, const Operand& bits);
Tensor ShiftRightLogical(const Operand& a, const Operand& bits);
Tensor PopulationCount(const Operand& a);
Tensor operator&&(const Operand& a, const Operand& b);
Tensor operator||(const Operand& a, const Operand& b);
Tensor operator!(const Operand& a);

// Comparisons. Their results have element type i1.
Tensor operator==(const Operand& a, const Operand& b);
Tensor operator!=(const Operand& a, const Operand& b);
Tensor operator<(const Operand& a, const Operand& b);
Tensor operator<=(const Operand& a, const Operand& b);
Tensor operator>(const Operand& a, const Operand& b);
Tensor operator>=(const Operand& a, const Operand& b);
Tensor IsFinite(const Operand& a);
Tensor IsInf(const Operand& a);
Tensor IsNan(const Operand& a);
// Whether |a - b| <= absolute + relative |b|, or both are equal infinities.
Tensor IsClose(const Operand& a, const Operand& b, double relative = 1e-5, double absolute = 1e-8);
// 0 for negative numbers, 1 for positive ones, and `middle` for zero.
Tensor Heaviside(const Operand& a, const Operand& middle);

// Selects elements of `a` where `condition` (of element type i1) is true, and of `b` elsewhere.
Tensor Where(const Operand& condition, const Operand& a, const Operand& b);

// Converts the elements to another type.
Tensor Convert(const Operand& a, ir::DType dtype);
// Reads the bits of each element as another type of the same width.
Tensor BitcastConvert(const Operand& a, ir::DType dtype);

}  // namespace acceld::client
