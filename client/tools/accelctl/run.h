#pragma once

#include <string>
#include <vector>

#include "client/tools/accelctl/connection.h"
#include "common/status.h"

namespace acceld::tools {

struct RunFlags {
  std::string program;  // a file of StableHLO text, "-" for standard input
  std::vector<std::string> arguments;
  std::string out_dir;  // empty: results are not written
  std::string entry = "main";
  int repeat = 1;
  double timeout_s = 0;  // of one run, on the daemon; 0: none
  bool json = false;
};

// Runs the program `repeat` times on its arguments, prints what happened, and writes the results of
// the last run as OUT/<number>.npy. Gives the exit code: 0, or 128 and the number of the signal
// that came before the end; the daemon cancels what is under way then. Errors are those of the
// program, the arguments and the daemon.
absl::StatusOr<int> Run(const ConnectionFlags& connection, const RunFlags& flags);

}  // namespace acceld::tools
