#pragma once

#include <cstdint>
#include <string>

namespace acceld::ir {

// Checks batches of the function "main" of a program, in the interpreter: for every choice of
// batched arguments, each example's results are those of the program for this example. Floats are
// random numbers between `low` and `high`, integers are between 0 and 4.
void CheckBatches(const std::string& text, double low = 0.3, double high = 1.7, uint32_t seed = 1);

}  // namespace acceld::ir
