#pragma once

#include <string>
#include <vector>

#include "client/tools/accelctl/connection.h"
#include "common/status.h"

namespace acceld::tools {

// Options of `accelctl run`.
struct RunFlags {
  // A file with a program in any form that client::Program::FromBytes reads; "-" for standard
  // input.
  std::string program;
  std::vector<std::string> arguments;
  std::string out_dir;  // Where to write the results; empty: nowhere.
  std::string entry = "main";
  int repeat = 1;
  double timeout_s = 0;  // Limit for each run on the daemon; 0: none.
  bool json = false;
};

// Runs the program `repeat` times on its arguments, prints timings, and writes the results of the
// last run to `out_dir` as <number>.npy. Returns the exit code: 0, or 128 plus the number of a
// signal that interrupted the command, in which case the daemon cancels the running work. Errors
// are those of the program, the arguments and the daemon.
absl::StatusOr<int> Run(const ConnectionFlags& connection, const RunFlags& flags);

}  // namespace acceld::tools
