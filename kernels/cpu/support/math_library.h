#pragma once

namespace acceld::kernels::cpu {

// The functions of math_library.def that the C library does not have (logistic) or that it
// implements in a way unsuitable for many threads (lgamma).
float LgammaF32(float x);
double LgammaF64(double x);
float LogisticF32(float x);
double LogisticF64(double x);

}  // namespace acceld::kernels::cpu
