#pragma once

#include <string>

#include "common/ir/text/reader.h"
#include "common/ir/types/literal.h"

// Dense constants: dense<...> : tensor<...>.
namespace acceld::ir::text {

// One number, boolean or complex pair, appended in the storage layout of dtypes.def.
//   integers   decimal or hexadecimal, within what the width can hold; as in MLIR iN takes -2^(N-1)
//              to 2^N-1, being without a sign in text; uiN refuses negative ones
//   floats     decimal with a '.', rounded to nearest even, or a hexadecimal bit pattern
//   complex    (real, imaginary)
//   i1         true, false, 0, 1
absl::Status ReadElement(Reader& reader, DType dtype, std::string& bytes);

// A decimal or hexadecimal integer that `dtype` (i1, iN, uiN) can hold, as the bits of an int64.
absl::StatusOr<int64_t> ReadIntegerValue(Reader& reader, DType dtype);
// A float rounded to `dtype`, or its bit pattern in hexadecimal.
absl::StatusOr<double> ReadFloatValue(Reader& reader, DType dtype);

// What follows the word `dense`: <elements> : type. Elements are a nested list of the type's shape,
// one value for all, nothing for an empty tensor, or a string of hexadecimal little-endian bytes.
absl::StatusOr<Literal> ReadDense(Reader& reader, bool allow_index);

// The bytes of "0x..." (with its quotes at `offset` of the source) as elements of a type: those of
// one element (a splat), of all, or for i1 also eight elements to a byte.
absl::StatusOr<std::string> DecodeHex(Reader& reader, const Token& quoted, const TensorType& type);

}  // namespace acceld::ir::text
