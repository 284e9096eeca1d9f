#pragma once

#include "absl/types/optional.h"

namespace CLI {
class App;
}

namespace acceld::cli {

// The exit status of a program whose command line means nothing.
inline constexpr int kExitUsage = 2;

// Parses the command line into `program`, which is as CheckWords (check_words.h) wants it. Returns
// nullopt if the program is to go on, and otherwise the status with which it has to end: 0 when its
// help, version or a document (documents.h) was printed, kExitUsage when standard error was told
// what is wrong with the command line. Help is laid out for the terminal (help.h).
absl::optional<int> Parse(CLI::App& program, int argc, const char* const* argv);

}  // namespace acceld::cli
