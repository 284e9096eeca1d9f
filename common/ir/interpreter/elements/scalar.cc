#include "common/ir/interpreter/elements/scalar.h"

#include <algorithm>

#include "common/ir/types/float_formats.h"

namespace acceld::ir::interpreter {

Scalar ReadScalar(DType dtype, const void* data, int64_t index) {
  switch (ClassOf(dtype)) {
    case DTypeClass::kBool:
    case DTypeClass::kSigned:
    case DTypeClass::kUnsigned:
      return OfInteger(ReadInt(dtype, data, index));
    case DTypeClass::kFloat:
      return OfReal(ReadFloat(dtype, data, index));
    case DTypeClass::kComplex:
      return OfComplex(ReadComplex(dtype, data, index));
  }
  return {};
}

void WriteScalar(DType dtype, void* data, int64_t index, const Scalar& value) {
  switch (ClassOf(dtype)) {
    case DTypeClass::kBool:
    case DTypeClass::kSigned:
    case DTypeClass::kUnsigned:
      return WriteInt(dtype, data, index, value.integer);
    case DTypeClass::kFloat:
      return WriteFloat(dtype, data, index, value.real());
    case DTypeClass::kComplex:
      return WriteComplex(dtype, data, index, value.complex);
  }
}

Scalar Rounded(DType dtype, const Scalar& value) {
  switch (ClassOf(dtype)) {
    case DTypeClass::kBool:
      return OfInteger(value.integer & 1);
    case DTypeClass::kSigned: {
      const int unused = 64 - BitsOf(dtype);
      return OfInteger(static_cast<int64_t>(static_cast<uint64_t>(value.integer) << unused) >>
                       unused);
    }
    case DTypeClass::kUnsigned:
      return OfInteger(static_cast<int64_t>(UnsignedBits(dtype, value.integer)));
    case DTypeClass::kFloat:
      return OfReal(RoundToFormat(dtype, value.real()));
    case DTypeClass::kComplex: {
      const DType part = RealPartOf(dtype);
      return OfComplex(
          {RoundToFormat(part, value.complex.real()), RoundToFormat(part, value.complex.imag())});
    }
  }
  return {};
}

uint64_t UnsignedBits(DType dtype, int64_t value) {
  const int unused = 64 - BitsOf(dtype);
  return static_cast<uint64_t>(value) << unused >> unused;
}

int64_t ReadIndex(DType dtype, const void* data, int64_t index) {
  constexpr int64_t kBound = int64_t{1} << 62;
  const int64_t value = ReadInt(dtype, data, index);
  if (IsUnsigned(dtype) && value < 0) return kBound;
  return std::clamp(value, -kBound, kBound);
}

}  // namespace acceld::ir::interpreter
