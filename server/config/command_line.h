#pragma once

#include "absl/strings/string_view.h"
#include "server/config/effective.h"

namespace acceld::config {

// What the process is to do after its command line has been read.
enum class CommandLineOutcome { kRun, kRunDetached, kPrintConfig, kExitOk, kExitUsage };

// Reads the command line and the environment into `sources`; every setting is a flag. Prints help,
// version and usage errors itself.
CommandLineOutcome ParseCommandLine(int argc, char** argv, absl::string_view version,
                                    FixedSources& sources);

}  // namespace acceld::config
