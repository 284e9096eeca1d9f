#include <array>
#include <utility>

#include "absl/strings/match.h"
#include "common/ir/text/elements.h"
#include "common/ir/types/dense_bytes.h"

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
  auto elements = ElementsFromDense(type, std::move(bytes));
  if (!elements.ok()) return lexer.At(quoted.offset, elements.status());
  return elements;
}

}  // namespace acceld::ir::text
