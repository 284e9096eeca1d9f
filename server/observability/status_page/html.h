#pragma once

#include <cstddef>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"

namespace acceld::observability {

// `text` as the content of an element or of a quoted attribute of HTML: it never ends either, and
// is UTF-8 without control characters, whatever bytes it was. What cannot stand there is written as
// \xNN.
std::string EscapeHtml(absl::string_view text);

// A page of HTML under construction. Literals are markup; all else is text, and escaped.
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
