#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "common/status.h"

namespace acceld {

// A test that is a text file:
//
//   // Sums of the same two values become one.
//   // run: cse, dce
//   // target: cuda
//   func.func @main(...) ...
//   // expect
//   module { ...
//
// Comment lines at the top say what is tested, which stages run and, if it matters, for which
// target; the rest up to `// expect` is the input, and what follows is the output to the letter.
struct TextCase {
  std::string path;
  std::string target;  // empty: not given
  std::vector<std::string> stages;
  std::string head;  // everything up to and including the line `// expect`
  std::string expected;
};

// INVALID_ARGUMENT when the file has no `// run:` line. A file without `// expect` is a new case:
// its expected text is empty.
absl::StatusOr<TextCase> ReadTextCase(const std::string& path);

// Replaces the expected text in the file.
absl::Status RewriteTextCase(const TextCase& text_case, absl::string_view actual);

// The lines of both texts with a mark: "-" only expected, "+" only actual, " " in both. Empty when
// they are equal.
std::string DiffLines(absl::string_view expected, absl::string_view actual);

}  // namespace acceld
