#pragma once

#include <string>

#include "client/admin.h"
#include "common/status.h"

namespace acceld::tools {

// Options of `accelctl trace`.
struct TraceFlags {
  std::string out;     // A file, or "-" for standard output.
  double seconds = 0;  // 0: everything that the daemon keeps.
};

// Writes the daemon's trace of the last `seconds` in Chrome's trace format.
absl::Status WriteTrace(client::Admin& admin, const TraceFlags& flags);

}  // namespace acceld::tools
