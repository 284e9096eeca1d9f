#include "common/json_text.h"

#include "absl/strings/str_format.h"
#include "common/utf8.h"

namespace acceld {

void AppendJsonString(absl::string_view text, std::string& out) {
  out.push_back('"');
  for (const char c : EscapeNonUtf8(text)) {
    switch (c) {
      case '"':
      case '\\':
        out.push_back('\\');
        out.push_back(c);
        break;
      case '\n':
        out.append("\\n");
        break;
      case '\t':
        out.append("\\t");
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20) {
          absl::StrAppendFormat(&out, "\\u%04x", static_cast<int>(c));
        } else {
          out.push_back(c);
        }
    }
  }
  out.push_back('"');
}

}  // namespace acceld
