#pragma once

#include <cstddef>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"

namespace acceld::observability {

// Escapes `text` for the content of an element or of a quoted attribute in HTML. The result never
// ends either of them, and is UTF-8 without control characters, whatever bytes `text` has. Bytes
// that are not allowed are written as \xNN.
std::string EscapeHtml(absl::string_view text);

// Builds a page of HTML. String literals are markup; everything else is text, and is escaped.
//   html << "<td>" << name << "</td>";
class Html {
 public:
  template <size_t N>
  Html& operator<<(const char (&markup)[N]) {
    out_.append(markup, N - 1);
    return *this;
  }
  Html& operator<<(absl::string_view text) {
    out_.append(EscapeHtml(text));
    return *this;
  }

  std::string Take() && { return std::move(out_); }

 private:
  std::string out_;
};

}  // namespace acceld::observability
