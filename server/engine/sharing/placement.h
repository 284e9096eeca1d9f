#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "common/status.h"

namespace acceld::engine {

// What counts when a session that names no device is given one.
struct DeviceLoad {
  std::string kind;       // "cuda"
  absl::Status health;    // of hal::Device
  uint64_t sessions = 0;  // that were given it
  uint64_t queued = 0;    // executions, of all sessions
};

// Which of the devices, of this kind or of the first one's if it is empty, has the fewest sessions,
// of these the one with the least queued, of these the first; never one that is lost.
// INVALID_ARGUMENT when there is no such kind, and the devices' own error when all are lost.
absl::StatusOr<uint32_t> LeastUsed(const std::vector<DeviceLoad>& devices, absl::string_view kind);

}  // namespace acceld::engine
