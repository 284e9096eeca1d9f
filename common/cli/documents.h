#pragma once

#include <string>

#include "common/cli/command_tree.h"

// Texts that follow from a command line, so that they cannot say anything else than it does.
namespace acceld::cli {

// Scripts that complete its commands, options, choices and paths in a shell.
std::string BashCompletion(const Command& program);
std::string FishCompletion(const Command& program);
std::string ZshCompletion(const Command& program);

// What a command line does not say itself.
struct About {
  std::string summary;  // half a line
  std::string version;
  int section = 1;  // of the manual
};

// The page of the manual, in the macros of man(7).
std::string ManualPage(const Command& program, const About& about);

// `--generate KIND` for a program: prints the text and ends as --version does.
void AddGenerate(CLI::App& app, About about);

}  // namespace acceld::cli
