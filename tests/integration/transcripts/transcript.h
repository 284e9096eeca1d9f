#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace acceld::testing {

// A command of a transcript, and what it printed.
struct Exchange {
  std::vector<std::string> remarks;  // lines above the command, each with its "#"
  std::string command;               // may have several lines
  std::vector<std::string> output;   // lines without their ends
};

// A session at a terminal as a text: after each line "$ COMMAND", the lines that the command
// printed on standard output and standard error. A command goes on in lines that begin with "> ".
// Lines that begin with "#" are remarks about the next command. Empty lines above a command or
// remark belong to nothing. docs/transcripts/README.md describes the format for readers.
using Transcript = std::vector<Exchange>;

Transcript ParseTranscript(absl::string_view text);
// Returns a text that ParseTranscript reads as the same transcript, with an empty line between two
// commands.
std::string FormatTranscript(const Transcript& transcript);

}  // namespace acceld::testing
