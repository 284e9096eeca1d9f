#pragma once

#include <string>

#include "absl/strings/string_view.h"
#include "common/ir/types/literal.h"

// The text of values: constants, floats and strings as StableHLO text spells them.
namespace acceld::ir {

// "dense<[1, 2]> : tensor<2xi32>". Splats print one element, small literals nested lists, large
// ones their bytes as a hexadecimal string (i1 and sub-byte integers one byte per element). Reading
// it back gives equal bits.
std::string ToString(const Literal& literal);

// The shortest decimal that reads back as `value` in `dtype`, always with a '.' ("1.0", "2.5e-3");
// infinities and NaNs as the bits of the dtype in hexadecimal ("0x7FC00000").
std::string FloatToText(DType dtype, double value);

// In double quotes, with quotes, backslashes and unprintable bytes escaped as MLIR does ("\0A").
std::string QuoteText(absl::string_view text);

}  // namespace acceld::ir
