#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "client/server_info.h"

namespace acceld::tools {

// The daemon's state at one moment.
struct Sample {
  std::chrono::steady_clock::time_point time;
  std::string address;  // where the daemon was asked
  client::ServerStats stats;
  std::vector<client::DeviceInfo> devices;
  std::vector<client::SessionInfo> sessions;
  std::vector<client::RunningExecution> running;
  std::vector<client::EndedSessionInfo> ended;
};

// Formats one frame of `accelctl top`: totals, devices, the sessions with the most queued work
// first, the executions on devices, and then the sessions that ended last. As much as fits into
// `max_lines` (0: all), in lines of at most `columns` characters where their parts can be cut.
// Without sessions a line says what the daemon waits for and how to connect. Rates are computed
// from the difference to `before`; without it (nullptr) they are shown as "-". The text contains no
// control characters except line ends.
std::string TopFrame(const Sample& now, const Sample* before, size_t max_lines, size_t columns);

}  // namespace acceld::tools
