#pragma once

#include <string>
#include <vector>

#include "common/status.h"
#include "tests/support/daemon/process.h"

// The real daemon as a child process. One thread.
namespace acceld::testing {

// A daemon of the test's own, listening on a socket in `folder` and caching in folder/cache.
struct Daemon {
  Process process;
  std::string address;  // "unix:..."
  std::string log_path;
  // What it has logged so far.
  std::string Log() const;
};
// Returns when the daemon answers. `flags` are added to its command line. It has no GPUs, unless
// these or $ACCELD_DEVICE name them.
absl::StatusOr<Daemon> StartDaemon(const std::string& folder,
                                   const std::vector<std::string>& flags = {});

}  // namespace acceld::testing
