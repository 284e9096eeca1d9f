#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "client/admin.h"
#include "common/status.h"

namespace acceld::testing {

// What a daemon holds at a moment, by its own account and by the system's.
struct ResourceCount {
  uint64_t sessions = 0, arrays = 0, array_bytes = 0;
  uint64_t device_bytes = 0, queued = 0;  // of all devices
  uint64_t spilled_bytes = 0;
  uint64_t open_files = 0, threads = 0;
  uint64_t resident_bytes = 0;

  // Asks `daemon` and reads /proc/`pid`. Blocks for the answers.
  static absl::StatusOr<ResourceCount> Of(const client::Admin& daemon, pid_t pid);

  // What the daemon may keep for its own use.
  struct Slack {
    uint64_t device_bytes = 0, open_files = 0, threads = 0, resident_bytes = 0;
  };
  // What there is more of than in `before`, for people; empty when nothing is.
  std::string GrowthSince(const ResourceCount& before, const Slack& slack) const;
  std::string ToString() const;
};

// Resident memory of a process; 0 when there is none.
uint64_t ResidentBytes(pid_t pid);

}  // namespace acceld::testing
