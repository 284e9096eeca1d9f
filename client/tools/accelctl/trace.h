#pragma once

#include <string>

#include "client/admin.h"
#include "common/status.h"

namespace acceld::tools {

struct TraceFlags {
  std::string out;     // a file, or "-" for standard output
  double seconds = 0;  // 0: all that the daemon keeps
};

// Writes what the daemon did in the last seconds as a Chrome trace.
absl::Status WriteTrace(client::Admin& admin, const TraceFlags& flags);

}  // namespace acceld::tools
