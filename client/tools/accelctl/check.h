#pragma once

#include <string>
#include <vector>

#include "client/client.h"
#include "common/status.h"

namespace acceld::tools {

// Options of `accelctl check`.
struct CheckFlags {
  std::vector<std::string> paths;  // Files, and folders to search for .mlir files.
  // A file of exceptions for single programs (common/ir/conformance/check_overrides.h); empty:
  // none.
  std::string overrides;
  int jobs = 2;
  bool interpreter = false;  // Use the reference interpreter instead of a daemon.
  bool verbose = false;
  bool json = false;
};

// Runs conformance programs: the inputs written in each program become its arguments, and its
// checks are applied to the results here, by the rules of common/ir/conformance/checks.h. What a
// program runs as several processes runs on as many of the daemon's devices of one kind; in the
// interpreter if there are fewer, or if the processes run different functions. Prints a line for
// each program that fails or contains an unsupported op, and for each that passes although the
// daemon did not run all of it, then "N passed, N failed, N skipped". A file that cannot be read or
// parsed counts as failed; one with an unsupported op counts as skipped. A file may have several
// modules (common/ir/conformance/program_file.h), and a module several programs
// (ConformanceEntries). Returns the exit code: 1 if any program failed. `client` may be nullptr if
// `interpreter` is set.
absl::StatusOr<int> Check(client::Client* client, const CheckFlags& flags);

}  // namespace acceld::tools
