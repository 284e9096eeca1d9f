#include "common/ir/types/element.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "common/check.h"
#include "common/ir/types/float_formats.h"

namespace acceld::ir {
namespace {

template <typename T>
T Load(const void* data, int64_t index) {
  T value;
  std::memcpy(&value, static_cast<const char*>(data) + index * sizeof(T), sizeof(T));
  return value;
}

template <typename T>
void Store(void* data, int64_t index, T value) {
  std::memcpy(static_cast<char*>(data) + index * sizeof(T), &value, sizeof(T));
}

// Returns the low bits of `value` as a number of the integer type `dtype`.
int64_t WrapTo(DType dtype, int64_t value) {
  const int unused = 64 - BitsOf(dtype);
  const auto shifted = static_cast<uint64_t>(value) << unused;
  if (IsSigned(dtype)) return static_cast<int64_t>(shifted) >> unused;
  return static_cast<int64_t>(shifted >> unused);
}

// Rounds toward zero. NaN becomes 0, and a value out of range the nearest bound. ui64 as its bits.
int64_t SaturateTo(DType dtype, double value) {
  if (std::isnan(value)) return 0;
  const int bits = BitsOf(dtype);
  const double low = IsSigned(dtype) ? -std::ldexp(1.0, bits - 1) : 0.0;
  const double past = std::ldexp(1.0, IsSigned(dtype) ? bits - 1 : bits);
  if (value <= low) return IsSigned(dtype) ? std::numeric_limits<int64_t>::min() >> (64 - bits) : 0;
  if (value >= past) {
    return IsSigned(dtype) ? std::numeric_limits<int64_t>::max() >> (64 - bits) : WrapTo(dtype, -1);
  }
  return IsSigned(dtype) ? static_cast<int64_t>(value)
                         : static_cast<int64_t>(static_cast<uint64_t>(value));
}

}  // namespace

int64_t ReadInt(DType dtype, const void* data, int64_t index) {
  switch (StorageBytesOf(dtype)) {
    case 1:
      return IsSigned(dtype) ? Load<int8_t>(data, index)
                             : static_cast<int64_t>(Load<uint8_t>(data, index));
    case 2:
      return IsSigned(dtype) ? Load<int16_t>(data, index)
                             : static_cast<int64_t>(Load<uint16_t>(data, index));
    case 4:
      return IsSigned(dtype) ? Load<int32_t>(data, index)
                             : static_cast<int64_t>(Load<uint32_t>(data, index));
    case 8:
      return Load<int64_t>(data, index);
  }
  ACCELD_CHECK(!IsComplex(dtype));
  return 0;
}

double ReadFloat(DType dtype, const void* data, int64_t index) {
  switch (StorageBytesOf(dtype)) {
    case 1:
      return DecodeFloat(dtype, Load<uint8_t>(data, index));
    case 2:
      return DecodeFloat(dtype, Load<uint16_t>(data, index));
    case 4:
      return Load<float>(data, index);
    case 8:
      return Load<double>(data, index);
  }
  ACCELD_CHECK(IsFloat(dtype));
  return 0;
}

Complex ReadComplex(DType dtype, const void* data, int64_t index) {
  const DType part = RealPartOf(dtype);
  return {ReadFloat(part, data, 2 * index), ReadFloat(part, data, 2 * index + 1)};
}

void WriteInt(DType dtype, void* data, int64_t index, int64_t value) {
  value = WrapTo(dtype, value);
  switch (StorageBytesOf(dtype)) {
    case 1:
      return Store(data, index, static_cast<uint8_t>(value));
    case 2:
      return Store(data, index, static_cast<uint16_t>(value));
    case 4:
      return Store(data, index, static_cast<uint32_t>(value));
    case 8:
      return Store(data, index, value);
  }
  ACCELD_CHECK(!IsComplex(dtype));
}

void WriteFloat(DType dtype, void* data, int64_t index, double value) {
  switch (StorageBytesOf(dtype)) {
    case 1:
      return Store(data, index, static_cast<uint8_t>(EncodeFloat(dtype, value)));
    case 2:
      return Store(data, index, static_cast<uint16_t>(EncodeFloat(dtype, value)));
    case 4:
      return Store(data, index, static_cast<float>(value));
    case 8:
      return Store(data, index, value);
  }
  ACCELD_CHECK(IsFloat(dtype));
}

void WriteComplex(DType dtype, void* data, int64_t index, Complex value) {
  const DType part = RealPartOf(dtype);
  WriteFloat(part, data, 2 * index, value.real());
  WriteFloat(part, data, 2 * index + 1, value.imag());
}

void StoreConverted(DType dtype, void* data, double value) {
  switch (ClassOf(dtype)) {
    case DTypeClass::kBool:
      return WriteInt(dtype, data, 0, value != 0 ? 1 : 0);
    case DTypeClass::kSigned:
    case DTypeClass::kUnsigned:
      return WriteInt(dtype, data, 0, SaturateTo(dtype, value));
    case DTypeClass::kFloat:
      return WriteFloat(dtype, data, 0, value);
    case DTypeClass::kComplex:
      return WriteComplex(dtype, data, 0, Complex(value, 0));
  }
}

}  // namespace acceld::ir
