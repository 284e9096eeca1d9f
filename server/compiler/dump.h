#pragma once

#include <string>

#include "absl/strings/string_view.h"

namespace acceld::compiler {

// Writes the stages of one compile as text files into a sub-folder of that compile. The first
// failure to write is logged and disables the dump; it never fails the compile. Not thread-safe.
class Dump {
 public:
  // Creates the sub-folder "<program>-<digest>" of `root`, with harmless characters in place of
  // others in the program's name and with the first 12 characters of the digest. An empty `root`
  // makes a disabled dump.
  Dump(const std::string& root, absl::string_view program, absl::string_view digest);

  // Whether Write does anything. False without a `root` and after a failure.
  bool enabled() const { return !folder_.empty(); }
  // Writes or overwrites a file of the sub-folder.
  void Write(absl::string_view file_name, absl::string_view text);

 private:
  std::string folder_;
};

}  // namespace acceld::compiler
