#include "common/ir/types/dense_bytes.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/ir/types/element.h"

namespace acceld::ir {
namespace {

// Converts either form of i1 to one byte for each element, 0 or 1.
std::string UnpackBools(int64_t count, std::string bytes) {
  const auto size = static_cast<int64_t>(bytes.size());
  if (size == count || (size == 1 && count > 8)) {
    for (char& byte : bytes) byte = byte != 0 ? 1 : 0;
    return bytes;
  }
  std::string unpacked(static_cast<size_t>(count), '\0');
  for (int64_t i = 0; i < count; ++i) {
    unpacked[static_cast<size_t>(i)] = static_cast<char>(
        static_cast<unsigned char>(bytes[static_cast<size_t>(i / 8)]) >> (i % 8) & 1);
  }
  return unpacked;
}

}  // namespace

absl::StatusOr<std::string> ElementsFromDense(const TensorType& type, std::string bytes) {
  const int64_t count = type.num_elements();
  const auto size = static_cast<int64_t>(bytes.size());
  const int64_t element = StorageBytesOf(type.dtype);
  const bool is_bool = type.dtype == DType::kI1;
  const bool packed = is_bool && size == (count + 7) / 8;
  if (size != type.size_bytes() && size != element && !packed) {
    return absl::InvalidArgumentError(absl::StrCat("expected ", type.size_bytes(), " bytes for ",
                                                   type.ToString(), " (or ", element,
                                                   " for equal elements), found ", size));
  }
  if (count == 0) return std::string();
  if (is_bool) return UnpackBools(count, std::move(bytes));
  if (BitsOf(type.dtype) < 8) {
    // Other tools clear the bits above the value; here they are copies of the sign bit.
    for (size_t i = 0; i < bytes.size(); ++i) {
      WriteInt(type.dtype, bytes.data(), static_cast<int64_t>(i),
               static_cast<unsigned char>(bytes[i]));
    }
  }
  return bytes;
}

}  // namespace acceld::ir
