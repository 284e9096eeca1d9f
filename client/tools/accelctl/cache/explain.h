#pragma once

#include <string>
#include <vector>

#include "client/client.h"
#include "client/tools/accelctl/queries/list_output.h"
#include "common/status.h"

namespace acceld::tools {

// Options of `accelctl cache explain`.
struct ExplainFlags {
  std::string program;  // "-": standard input
  // Its arguments (argument.h), of which only the types count; empty: the types that it says.
  std::vector<std::string> arguments;
  std::string target;  // Architecture; empty: the session's device.
  std::string entry = "main";
  ListOutput output;
};

// Prints in which tier of the cache the program's executable would be found, or which parts of its
// key differ from the key of the most similar entry. Returns the exit code: 0 if it would be found,
// else 3.
absl::StatusOr<int> ExplainCache(client::Client& client, const ExplainFlags& flags);

}  // namespace acceld::tools
