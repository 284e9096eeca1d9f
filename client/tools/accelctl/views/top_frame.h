#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "client/server_info.h"

namespace acceld::tools {

// The daemon's state at one moment.
struct Sample {
  std::chrono::steady_clock::time_point time;
  client::ServerStats stats;
  std::vector<client::DeviceInfo> devices;
  std::vector<client::SessionInfo> sessions;
};

// Formats one frame of `accelctl top`: totals, devices, cache, and then the sessions with the most
// queued work first, as many as fit into `max_lines` (0: all). Rates are computed from the
// difference to `before`; without it (nullptr) they are shown as "-". The text contains no control
// characters except line ends.
std::string TopFrame(const Sample& now, const Sample* before, size_t max_lines);

}  // namespace acceld::tools
