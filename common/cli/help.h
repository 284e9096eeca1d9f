#pragma once

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"
#include "common/cli/command_tree.h"

namespace acceld::cli {

// Returns what --help prints for a command: what it is for, how it is called, its arguments,
// options and subcommands, and its footer, which has an example. `path` is how the command is
// called, "accelctl cache ls". Lines have at most `columns` characters, except those of the footer
// and single words that are longer. Pure function.
std::string HelpText(const Command& command, absl::string_view path, size_t columns);

}  // namespace acceld::cli
