#pragma once

#include <cstdint>
#include <string>

namespace acceld::ir {

// Checks the derivatives of the function "main" of a program, in the interpreter: its tangents in
// forward mode against finite differences, and reverse mode against forward mode, as the product of
// a cotangent with a tangent is the same in both. Arguments that are f64 or complex<f64> are active
// and get random values between `low` and `high`; integers are 0. Random values follow from `seed`.
void CheckDerivatives(const std::string& text, double low = 0.3, double high = 1.7,
                      uint32_t seed = 1);

// Checks forward mode alone.
void CheckTangents(const std::string& text, double low = 0.3, double high = 1.7, uint32_t seed = 1);

}  // namespace acceld::ir
