#include "server/observability/status_page/html.h"

#include "absl/strings/str_format.h"
#include "common/utf8.h"

namespace acceld::observability {
namespace {

void AppendByte(unsigned char byte, std::string& out) {
  absl::StrAppendFormat(&out, "\\x%02X", byte);
}

// Returns whether the character is one of the control characters U+0080 to U+009F.
bool IsLateControl(absl::string_view character) {
  return character.size() == 2 && character[0] == '\xc2' &&
         static_cast<unsigned char>(character[1]) < 0xA0;
}

}  // namespace

std::string EscapeHtml(absl::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const size_t size = Utf8CharacterBytes(text);
    const absl::string_view character = text.substr(0, size == 0 ? 1 : size);
    text.remove_prefix(character.size());
    const auto byte = static_cast<unsigned char>(character[0]);
    if (size == 0 || IsLateControl(character) || byte == 0x7F ||
        (byte < 0x20 && byte != '\n' && byte != '\t')) {
      for (const char c : character) AppendByte(static_cast<unsigned char>(c), out);
    } else if (byte == '&') {
      out += "&amp;";
    } else if (byte == '<') {
      out += "&lt;";
    } else if (byte == '>') {
      out += "&gt;";
    } else if (byte == '"') {
      out += "&quot;";
    } else if (byte == '\'') {
      out += "&#39;";
    } else {
      out.append(character.data(), character.size());
    }
  }
  return out;
}

}  // namespace acceld::observability
