#pragma once

#include <string>
#include <vector>

#include "client/client.h"
#include "common/status.h"

namespace acceld::tools {

// Options of `accelctl cache warm`.
struct WarmFlags {
  // Any of: program files; folders, which are searched for .mlir, .mlir.bc and .stablehlo files;
  // and list files (*.list). Each line of a list is the path of a program, followed by its
  // arguments; paths are relative to the list, and # starts a comment.
  std::vector<std::string> paths;
  // The arguments of each program file in `paths` (argument.h), of which only the types count;
  // empty: the types that the program says.
  std::vector<std::string> arguments;
  std::vector<std::string> targets;  // Architectures; empty: the session's device.
  std::string entry = "main";
  int jobs = 4;  // Compilations at a time.
  bool json = false;
};

// Compiles programs in advance, so that later requests find them in the daemon's cache and in the
// remote cache that it shares. Prints a line for each program that says how it was found, then a
// summary. Returns the exit code: 1 if a program could not be read or compiled.
absl::StatusOr<int> WarmCache(client::Client& client, const WarmFlags& flags);

}  // namespace acceld::tools
