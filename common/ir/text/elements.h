#pragma once

#include <string>

#include "common/ir/text/reader.h"
#include "common/ir/types/literal.h"

// Reads dense constants: dense<...> : tensor<...>.
namespace acceld::ir::text {

// Reads one number, boolean or complex pair and appends it in the storage layout of dtypes.def.
//   integers   decimal or hexadecimal, within the range of the width. iN accepts -2^(N-1) to
//              2^N-1, as in MLIR, where its text has no signedness; uiN refuses negative numbers
//   floats     decimal with a '.', rounded to nearest even, or a hexadecimal bit pattern
//   complex    (real, imaginary)
//   i1         true, false, 0, 1
absl::Status ReadElement(Reader& reader, DType dtype, std::string& bytes);

// Reads a decimal or hexadecimal integer within the range of `dtype` (i1, iN, uiN), as the bits of
// an int64_t.
absl::StatusOr<int64_t> ReadIntegerValue(Reader& reader, DType dtype);
// Reads a float, decimal and rounded to `dtype`, or as its bit pattern in hexadecimal.
absl::StatusOr<double> ReadFloatValue(Reader& reader, DType dtype);

// Reads what follows the word `dense`: <elements> : type. Elements are a nested list of the type's
// shape, one value for all elements, nothing for an empty tensor, or a string of little-endian
// bytes in hexadecimal. With `allow_index`, elements may be of type `index`, which is read as i64.
absl::StatusOr<Literal> ReadDense(Reader& reader, bool allow_index);

// Returns the bytes of "0x..." as elements of a type. They are those of one element (a splat) or of
// all elements, for i1 also with eight elements to a byte. `quoted` is the token with its quotes.
absl::StatusOr<std::string> DecodeHex(Reader& reader, const Token& quoted, const TensorType& type);

}  // namespace acceld::ir::text
