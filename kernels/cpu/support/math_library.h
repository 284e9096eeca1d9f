#pragma once

namespace acceld::kernels::cpu {

// Functions of math_library.def that the C library lacks or has in a form unfit for many threads.
float LgammaF32(float x);
double LgammaF64(double x);
float LogisticF32(float x);
double LogisticF64(double x);

}  // namespace acceld::kernels::cpu
