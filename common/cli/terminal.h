#pragma once

#include <cstddef>

namespace acceld::cli {

// The size of a terminal in characters.
struct TerminalSize {
  size_t columns = 80, lines = 24;
};

// Returns the size of the terminal that standard output is; the default where it is none, or one
// that does not know its size.
TerminalSize OutputSize();

}  // namespace acceld::cli
