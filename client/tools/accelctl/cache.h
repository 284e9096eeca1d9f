#pragma once

#include <string>
#include <vector>

#include "client/admin.h"
#include "client/client.h"
#include "common/status.h"

namespace acceld::tools {

// Options of `accelctl cache warm`.
struct WarmFlags {
  // Any of: program files; folders, which are searched for .mlir, .mlir.bc and .stablehlo files;
  // and list files (*.list). Each line of a list is the path of a program, relative to the list,
  // followed by its argument types; # starts a comment.
  std::vector<std::string> paths;
  std::vector<std::string> types;    // Argument types, for program files in `paths`.
  std::vector<std::string> targets;  // Architectures; empty: the session's device.
  std::string entry = "main";
  int jobs = 4;  // Compilations at a time.
  bool json = false;
};

// Compiles programs in advance, so that later requests find them in the daemon's cache and in the
// remote cache that it shares. Prints a line for each program that says how it was found, then a
// summary. Returns the exit code: 1 if a program could not be read or compiled.
absl::StatusOr<int> WarmCache(client::Client& client, const WarmFlags& flags);

// Verifies every entry and prints the result for each tier. Returns the exit code: 1 if an entry
// was bad.
absl::StatusOr<int> VerifyCache(client::Admin& admin, bool remote);

// Removes the entries with these keys, or all entries if `keys` is empty. Prints how many were
// removed.
absl::Status PurgeCache(client::Admin& admin, const std::vector<std::string>& keys, bool remote);

// Options of `accelctl cache explain`.
struct ExplainFlags {
  std::string program;             // "-": standard input
  std::vector<std::string> types;  // Argument types; empty: the program's own.
  std::string target;              // Architecture; empty: the session's device.
  std::string entry = "main";
  bool json = false;
};

// Prints in which tier of the cache the program's executable would be found, or which parts of its
// key differ from the key of the most similar entry. Returns the exit code: 0 if it would be found,
// else 3.
absl::StatusOr<int> ExplainCache(client::Client& client, const ExplainFlags& flags);

}  // namespace acceld::tools
