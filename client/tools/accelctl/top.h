#pragma once

#include "client/tools/accelctl/connection.h"
#include "common/status.h"

namespace acceld::tools {

struct TopFlags {
  bool once = false;
  double interval_s = 2;
};

// Shows what the daemon is doing, on a terminal again and again until SIGINT or SIGTERM; once with
// `once`, or where standard output is no terminal. Ends with the daemon's error when it is gone.
absl::Status Top(const ConnectionFlags& connection_flags, const TopFlags& flags);

}  // namespace acceld::tools
