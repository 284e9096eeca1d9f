#pragma once

#include <string>
#include <vector>

#include "client/client.h"
#include "common/status.h"

namespace acceld::tools {

struct RunFlags {
  std::string program;  // a file of StableHLO text, "-" for standard input
  std::vector<std::string> arguments;
  std::string out_dir;  // empty: results are not written
  std::string entry = "main";
  int repeat = 1;
  uint32_t device = 0;
  bool json = false;
};

// Runs the program `repeat` times on its arguments, prints what happened, and writes the results of
// the last run as OUT/<number>.npy. Errors are those of the program, the arguments and the daemon.
absl::Status Run(client::Client& client, const RunFlags& flags);

}  // namespace acceld::tools
