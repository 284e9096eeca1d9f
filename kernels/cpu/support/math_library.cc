#include "kernels/cpu/support/math_library.h"

#include <cmath>

namespace acceld::kernels::cpu {

// lgamma writes the global variable signgam.
float LgammaF32(float x) {
  int sign;
  return ::lgammaf_r(x, &sign);
}

double LgammaF64(double x) {
  int sign;
  return ::lgamma_r(x, &sign);
}

float LogisticF32(float x) { return static_cast<float>(LogisticF64(x)); }

double LogisticF64(double x) {
  const double e = std::exp(-std::fabs(x));
  return (x < 0 ? e : 1.0) / (1.0 + e);
}

}  // namespace acceld::kernels::cpu
