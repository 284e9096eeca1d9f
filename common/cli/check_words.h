#pragma once

#include <string>

#include "absl/types/span.h"
#include "common/status.h"

namespace CLI {
class App;
}

namespace acceld::cli {

// Returns "accelctl cache ls" for the command `ls` of the command `cache` of the program accelctl.
std::string PathOf(const CLI::App& command);

// Reads the words of a command line (without the program's name) from left to right, by the rules
// by which CLI11 is going to parse them, and returns INVALID_ARGUMENT about the first that is
// wrong: an unknown command or option, an argument too many, an option that is given twice or lacks
// its value, or a value that a validator of its option refuses. The message names the command that
// the word belongs to, and what the word was probably meant to be or may be. What follows --help or
// --version is not looked at. What is missing is found later (CheckComplete).
//
// Commands must be required where there are any, and at most one of each (require_subcommand(1));
// options of a command may stand behind its subcommands (fallthrough()).
absl::Status CheckWords(CLI::App& program, absl::Span<const std::string> words);

// Returns INVALID_ARGUMENT about what the command that `program` has parsed lacks, or about two
// options that exclude each other; OK if CLI11 has refused it for another reason.
absl::Status CheckComplete(const CLI::App& program);

}  // namespace acceld::cli
