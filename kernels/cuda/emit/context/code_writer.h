#pragma once

#include <cstddef>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace acceld::kernels::cuda {

// Writes lines of C++ for the body of a function, with two spaces of indentation for each brace
// that is open, the function's own included. What the functions are given is joined as by
// absl::StrCat. Thread-compatible.
class CodeWriter {
 public:
  // Writes a line.
  template <typename... Parts>
  void Line(const Parts&... parts) {
    text_.append(2 * depth_, ' ');
    absl::StrAppend(&text_, parts..., "\n");
  }
  // Writes a line and opens a brace at its end.
  template <typename... Parts>
  void Open(const Parts&... parts) {
    Line(parts..., " {");
    ++depth_;
  }
  // Closes the brace that was opened last, on a line of its own. For example, `end` is "};" after
  // the body of a lambda expression.
  void Close(absl::string_view end = "}") {
    --depth_;
    Line(end);
  }

  // Returns what has been written. The writer is empty afterwards.
  std::string Take() { return std::exchange(text_, {}); }

 private:
  std::string text_;
  size_t depth_ = 1;
};

}  // namespace acceld::kernels::cuda
