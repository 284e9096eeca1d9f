#include <array>
#include <cstring>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/ir/text/elements.h"

namespace acceld::ir::text {
namespace {

constexpr uint8_t kNotHex = 0xFF;

constexpr std::array<uint8_t, 256> MakeDigits() {
  std::array<uint8_t, 256> digits{};
  for (auto& digit : digits) digit = kNotHex;
  for (uint8_t i = 0; i < 10; ++i) digits['0' + i] = i;
  for (uint8_t i = 0; i < 6; ++i) digits['a' + i] = digits['A' + i] = static_cast<uint8_t>(10 + i);
  return digits;
}
constexpr std::array<uint8_t, 256> kDigits = MakeDigits();

// Index of the first character that is no digit, or the size.
size_t Decode(absl::string_view digits, std::string& bytes) {
  bytes.resize(digits.size() / 2);
  const auto* in = reinterpret_cast<const unsigned char*>(digits.data());
  uint8_t bad = 0;
  for (size_t i = 0; i < bytes.size(); ++i) {
    const uint8_t high = kDigits[in[2 * i]];
    const uint8_t low = kDigits[in[2 * i + 1]];
    bad |= (high | low) & 0x80;
    bytes[i] = static_cast<char>(high << 4 | low);
  }
  if (bad == 0) return digits.size();
  size_t i = 0;
  while (kDigits[in[i]] != kNotHex) ++i;
  return i;
}

// One byte per element, 0 or 1, from either packing.
void NormalizeBools(int64_t count, std::string& bytes) {
  const auto size = static_cast<int64_t>(bytes.size());
  if (size == count || (size == 1 && count > 8)) {
    for (char& byte : bytes) byte = byte != 0 ? 1 : 0;
    return;
  }
  std::string unpacked(static_cast<size_t>(count), '\0');
  for (int64_t i = 0; i < count; ++i) {
    unpacked[static_cast<size_t>(i)] = static_cast<char>(
        static_cast<unsigned char>(bytes[static_cast<size_t>(i / 8)]) >> (i % 8) & 1);
  }
  bytes = std::move(unpacked);
}

}  // namespace

absl::StatusOr<std::string> DecodeHex(Reader& reader, const Token& quoted, const TensorType& type) {
  const Lexer& lexer = reader.lexer;
  const absl::string_view inner = quoted.text.substr(1, quoted.text.size() - 2);
  if (!absl::StartsWith(inner, "0x")) {
    return lexer.Error(quoted.offset,
                       "expected hexadecimal bytes that start with 0x in a dense string");
  }
  const absl::string_view digits = inner.substr(2);
  std::string bytes;
  const size_t decoded = Decode(digits.substr(0, digits.size() & ~size_t{1}), bytes);
  if (decoded < (digits.size() & ~size_t{1}) || digits.size() % 2 != 0) {
    return lexer.Error(quoted.offset + 3 + decoded, "expected pairs of hexadecimal digits");
  }

  const int64_t count = type.num_elements();
  const auto size = static_cast<int64_t>(bytes.size());
  const int64_t element = StorageBytesOf(type.dtype);
  const bool is_bool = type.dtype == DType::kI1;
  const bool packed = is_bool && size == (count + 7) / 8;
  if (size != type.size_bytes() && size != element && !packed) {
    return lexer.Error(
        quoted.offset,
        absl::StrCat("expected ", type.size_bytes(), " hexadecimal bytes for ", type.ToString(),
                     " (or ", element, " for equal elements), found ", size));
  }
  if (count == 0) return std::string();
  if (is_bool) {
    NormalizeBools(count, bytes);
  } else if (BitsOf(type.dtype) < 8) {
    // Other tools leave the bits above the value clear; here they repeat its sign.
    for (size_t i = 0; i < bytes.size(); ++i) {
      WriteInt(type.dtype, bytes.data(), static_cast<int64_t>(i),
               static_cast<unsigned char>(bytes[i]));
    }
  }
  return bytes;
}

}  // namespace acceld::ir::text
