#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace acceld::ir {

// One program of a file.
struct ProgramText {
  int line = 1;  // at which it begins in the file
  // In the place of what is before the program it has empty lines, so that positions in it are
  // those in the file.
  std::string text;
};

// Splits a file at lines that begin with "// -----", where MLIR's tools split it too. Parts of
// comments only are left out, unless nothing else is there. A portable artifact is one program.
std::vector<ProgramText> SplitProgramFile(absl::string_view bytes);

}  // namespace acceld::ir
