#pragma once

#include <string>

#include "absl/strings/string_view.h"
#include "common/ir/types/literal.h"
#include "common/status.h"

// NumPy's .npy files (format versions 1.0 to 3.0). Source: NumPy enhancement proposal 1.
//
// bool, int8..int64, uint8..uint64, float16..float64 and complex64/128 map to i1, i8..i64,
// ui8..ui64, f16..f64 and complex. NumPy has no bfloat16 and no 8-bit floats: bf16 is written as
// two-byte void ('|V2', as the ml_dtypes package does) and read back from it; floats of up to 8
// bits and 2- and 4-bit integers are written as their storage bytes (uint8 or int8). One-byte void,
// which ml_dtypes writes for all of these, is read as ui8; FromStorageBytes makes elements of such
// bytes.
namespace acceld::client {

// `contents` is a whole file. Fortran order is transposed to row-major; big-endian data and object
// arrays are INVALID_ARGUMENT. The file is untrusted.
absl::StatusOr<ir::Literal> DecodeNpy(absl::string_view contents);
std::string EncodeNpy(const ir::Literal& literal);

// An array of ui8 or i8 as the elements of a dtype that NumPy lacks and that is stored in a byte.
// Of narrower ones only the low bits count, as in ml_dtypes. Other arrays, and any for a dtype that
// NumPy has, stay as they are.
absl::StatusOr<ir::Literal> FromStorageBytes(ir::Literal bytes, ir::DType dtype);

// NOT_FOUND or the reason of the operating system, with the path.
absl::StatusOr<ir::Literal> ReadNpy(const std::string& path);
absl::Status WriteNpy(const std::string& path, const ir::Literal& literal);

}  // namespace acceld::client
