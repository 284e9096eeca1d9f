#pragma once

#include <cstdint>

#include "absl/strings/string_view.h"
#include "absl/types/optional.h"

// Element types of tensors (dtypes.def). Source: StableHLO specification, "Types".
namespace acceld::ir {

enum class DType : uint8_t {
#define ACCELD_DTYPE(Enum, text, Class, bits, storage_bytes) k##Enum,
#include "common/ir/types/dtypes.def"
};

enum class DTypeClass : uint8_t { kBool, kSigned, kUnsigned, kFloat, kComplex };

inline constexpr int kNumDTypes = 0
#define ACCELD_DTYPE(Enum, text, Class, bits, storage_bytes) +1
#include "common/ir/types/dtypes.def"
    ;

absl::string_view DTypeName(DType dtype);
// Returns the dtype with this spelling in StableHLO text, or nullopt.
absl::optional<DType> ParseDType(absl::string_view text);

DTypeClass ClassOf(DType dtype);
// Returns the width of a value in bits; for complex numbers both parts together.
int BitsOf(DType dtype);
// Returns the bytes of one element in a buffer.
int64_t StorageBytesOf(DType dtype);

inline bool IsInteger(DType d) {
  return ClassOf(d) == DTypeClass::kSigned || ClassOf(d) == DTypeClass::kUnsigned;
}
inline bool IsSigned(DType d) { return ClassOf(d) == DTypeClass::kSigned; }
inline bool IsUnsigned(DType d) { return ClassOf(d) == DTypeClass::kUnsigned; }
inline bool IsFloat(DType d) { return ClassOf(d) == DTypeClass::kFloat; }
inline bool IsComplex(DType d) { return ClassOf(d) == DTypeClass::kComplex; }

// Returns the unsigned integer type of this width (i1 for one bit): 1, 2, 4, 8, 16, 32 or 64 bits.
DType UnsignedOfWidth(int bits);
// Returns f32 for complex<f32>, f64 for complex<f64>, and other types unchanged.
DType RealPartOf(DType dtype);
// Returns complex<f32> for f32, complex<f64> for f64, and nullopt for other types.
absl::optional<DType> ComplexOf(DType dtype);

}  // namespace acceld::ir
