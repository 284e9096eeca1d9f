#pragma once

#include <string>

#include "absl/strings/string_view.h"

namespace acceld::compiler {

// Writes the stages of one compile as text files into a sub-folder of its own. A failure to write
// is logged once and never fails the compile. One thread.
class Dump {
 public:
  // `root` empty: writes nothing. The sub-folder is "<program>-<digest>".
  Dump(const std::string& root, absl::string_view program, absl::string_view digest);

  bool enabled() const { return !folder_.empty(); }
  void Write(absl::string_view file_name, absl::string_view text);

 private:
  std::string folder_;
};

}  // namespace acceld::compiler
