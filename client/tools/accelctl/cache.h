#pragma once

#include <string>
#include <vector>

#include "client/admin.h"
#include "client/client.h"
#include "common/status.h"

namespace acceld::tools {

struct WarmFlags {
  // Programs; folders that are searched for .mlir, .mlir.bc and .stablehlo files; and lists: files
  // named *.list with a program a line, TYPE... after it, and # before remarks. Paths in a list
  // are relative to it.
  std::vector<std::string> paths;
  std::vector<std::string> types;    // of the arguments, for paths that are programs
  std::vector<std::string> targets;  // architectures; empty: the session's device
  std::string entry = "main";
  int jobs = 4;  // at a time
  bool json = false;
};

// Compiles programs ahead, so that they are found in the daemon's caches, and in those that it
// shares. Prints a line for each with how it was found, then a summary. Gives the exit code: 1 when
// a program could not be read or compiled.
absl::StatusOr<int> WarmCache(client::Client& client, const WarmFlags& flags);

// Prints what a look at every entry came to; the exit code is 1 when one was bad.
absl::StatusOr<int> VerifyCache(client::Admin& admin, bool remote);

// Removes the entries of these keys, or all; prints how many.
absl::Status PurgeCache(client::Admin& admin, const std::vector<std::string>& keys, bool remote);

struct ExplainFlags {
  std::string program;             // "-": standard input
  std::vector<std::string> types;  // of the arguments; empty: those of the program
  std::string target;              // empty: the session's device
  std::string entry = "main";
  bool json = false;
};

// Prints where the program's executable would be found, or which parts of its key differ from those
// of the entry that comes nearest. Gives the exit code: 0 when it would be found, else 3.
absl::StatusOr<int> ExplainCache(client::Client& client, const ExplainFlags& flags);

}  // namespace acceld::tools
