#pragma once

#include <string>

#include "absl/strings/string_view.h"
#include "common/ir/types/literal.h"
#include "common/status.h"

// Reads and writes NumPy's .npy files (format versions 1.0 to 3.0). Source: NumPy enhancement
// proposal 1.
//
// bool, int8..int64, uint8..uint64, float16..float64 and complex64/128 map to i1, i8..i64,
// ui8..ui64, f16..f64 and complex. NumPy has no bfloat16 and no 8-bit floats: bf16 is written as
// two-byte void ('|V2', as the ml_dtypes package does) and read back from it; floats of up to 8
// bits and 2- and 4-bit integers are written as their storage bytes (uint8 or int8). One-byte void,
// which ml_dtypes writes for all of these, is read as ui8, which FromStorageBytes converts to the
// intended dtype.
namespace acceld::client {

// Decodes the contents of a whole file, which are untrusted. Fortran order is transposed to
// row-major. INVALID_ARGUMENT for big-endian data, object arrays and malformed files.
absl::StatusOr<ir::Literal> DecodeNpy(absl::string_view contents);
// Encodes a literal as the contents of a file.
std::string EncodeNpy(const ir::Literal& literal);

// Reinterprets an array of ui8 or i8 as elements of `dtype`, if `dtype` is one that NumPy lacks and
// is stored in one byte. For dtypes narrower than a byte only the low bits count, as in ml_dtypes.
// Returns other arrays, and any array for a dtype that NumPy has, unchanged.
absl::StatusOr<ir::Literal> FromStorageBytes(ir::Literal bytes, ir::DType dtype);

// Read or write a file. Errors contain the path: NOT_FOUND or another error of the operating
// system, or that of DecodeNpy.
absl::StatusOr<ir::Literal> ReadNpy(const std::string& path);
absl::Status WriteNpy(const std::string& path, const ir::Literal& literal);

}  // namespace acceld::client
