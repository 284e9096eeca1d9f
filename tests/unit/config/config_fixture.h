#pragma once

#include <string>
#include <vector>

#include "server/config/command_line.h"
#include "server/config/effective.h"

namespace acceld::testing {

struct ParsedCommandLine {
  config::CommandLineOutcome outcome;
  config::FixedSources sources;
  std::string errors;  // what the user reads

  // Of the command line, an empty file and this environment.
  config::DaemonConfig Config() const;
};

// Reads `arguments` as those of acceld.
ParsedCommandLine ParseArguments(std::vector<std::string> arguments);

}  // namespace acceld::testing
