#pragma once

#include "absl/strings/string_view.h"
#include "server/config/effective.h"

namespace acceld::config {

enum class CommandLineOutcome { kRun, kRunDetached, kPrintConfig, kExitOk, kExitUsage };

// Reads the command line and the environment; every setting is a flag. Help, version and usage
// errors are printed here.
CommandLineOutcome ParseCommandLine(int argc, char** argv, absl::string_view version,
                                    FixedSources& sources);

}  // namespace acceld::config
