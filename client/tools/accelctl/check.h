#pragma once

#include <string>
#include <vector>

#include "client/client.h"
#include "common/status.h"

namespace acceld::tools {

struct CheckFlags {
  std::vector<std::string> paths;  // files, or folders searched for .mlir files
  std::string overrides;           // empty: none
  int jobs = 2;
  bool interpreter = false;  // the reference interpreter instead of a daemon
  bool verbose = false;
  bool json = false;
};

// Runs conformance programs: their inputs become real arguments, what they check is compared here
// by the rules of common/ir/conformance/checks.h. Prints a line for each file that fails or holds
// an unsupported op, then "N passed, N failed, N skipped". Gives the exit code: 1 when one failed.
// A file that cannot be read or parsed has failed; one with an op that acceld lacks is skipped. The
// client may be null with `interpreter`.
absl::StatusOr<int> Check(client::Client* client, const CheckFlags& flags);

}  // namespace acceld::tools
