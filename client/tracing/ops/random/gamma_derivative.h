#pragma once

#include "client/tracing/tensor.h"

namespace acceld::client::random {

// For each number `x` of the distribution gamma with the shape parameter `alpha`, a vector of the
// same size, the derivative by `alpha` of the number below which a share P(alpha, x) of all lies:
// of x as a function of alpha for which P stays the same. NaN for numbers that are not positive.
//
// Source: Figurnov, Mohamed and Mnih, "Implicit Reparameterization Gradients" (2018).
Tensor GammaDerivative(const Tensor& alpha, const Tensor& x);

}  // namespace acceld::client::random
