#pragma once

#include <string>

#include "absl/strings/string_view.h"
#include "common/ir/types/literal.h"

// The StableHLO text of constants, floats and strings.
namespace acceld::ir {

// Returns text such as "dense<[1, 2]> : tensor<2xi32>". A splat is printed as one element, a small
// literal as nested lists, and a large one as its bytes in hexadecimal (i1 and sub-byte integers
// with one byte for each element). Reading the text gives equal bits.
std::string ToString(const Literal& literal);

// Returns the shortest decimal number that reads back as `value` in `dtype`, always with a '.'
// ("1.0", "2.5e-3"); for infinities and NaNs the bits in hexadecimal ("0x7FC00000").
std::string FloatToText(DType dtype, double value);

// Returns the text in double quotes; quotes, backslashes and unprintable bytes are escaped as in
// MLIR ("\0A").
std::string QuoteText(absl::string_view text);

}  // namespace acceld::ir
