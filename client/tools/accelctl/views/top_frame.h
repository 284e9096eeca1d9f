#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "client/server_info.h"

namespace acceld::tools {

// What the daemon said at one moment.
struct Sample {
  std::chrono::steady_clock::time_point time;
  client::ServerStats stats;
  std::vector<client::DeviceInfo> devices;
  std::vector<client::SessionInfo> sessions;
};

// The picture of `accelctl top`: totals, devices, cache, then sessions, the busiest first, as many
// as fit into `max_lines` (0: all). Rates are those since `before`, which may be nullptr. Holds no
// control characters but the ends of lines.
std::string TopFrame(const Sample& now, const Sample* before, size_t max_lines);

}  // namespace acceld::tools
