#pragma once

#include "client/tools/accelctl/connection.h"
#include "common/status.h"

namespace acceld::tools {

// Options of `accelctl top`.
struct TopFlags {
  bool once = false;
  bool wide = false;  // Whole cells and all columns, where it is printed only once.
  double interval_s = 2;
};

// Shows what the daemon is doing. On a terminal refreshes the display every `interval_s` seconds
// until SIGINT, SIGTERM, SIGHUP or SIGQUIT; prints it only once if `once` is set or standard output
// is not a terminal. Returns the daemon's error if it becomes unreachable.
absl::Status Top(const ConnectionFlags& connection_flags, const TopFlags& flags);

}  // namespace acceld::tools
