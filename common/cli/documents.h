#pragma once

#include <string>

#include "common/cli/command_tree.h"

// Generates documents about a program's command line from its description (command_tree.h), so that
// they always agree with what the program accepts.
namespace acceld::cli {

// Return shell scripts that complete the program's commands, options, values and paths.
std::string BashCompletion(const Command& program);
std::string FishCompletion(const Command& program);
std::string ZshCompletion(const Command& program);

// Facts for the manual page that the command line does not contain.
struct ManualInfo {
  std::string summary;  // one-line description for the NAME section
  std::string version;
  int section = 1;  // of the manual: 1 for commands
};

// Returns the manual page in roff with the macros of man(7).
std::string ManualPage(const Command& program, const ManualInfo& about);

// Adds the option `--generate KIND` to `app`, with KIND one of bash, fish, man and zsh. When the
// option is given, parsing throws CLI::CallForVersion with the document as its text, so that the
// program prints the document and exits as it does for --version. `app` must outlive its parsing.
void AddGenerate(CLI::App& app, ManualInfo about);

}  // namespace acceld::cli
