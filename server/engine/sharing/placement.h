#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "common/status.h"

namespace acceld::engine {

// The load of a device, for choosing one for a session that names none.
struct DeviceLoad {
  std::string kind;       // as "cuda"
  absl::Status health;    // see hal::Device
  uint64_t sessions = 0;  // the sessions that it was assigned to
  uint64_t queued = 0;    // executions and uploads of all sessions that have not ended
};

// Returns the index of the least used device of a kind (empty: the kind of the first device): the
// one with the fewest sessions, among these the one with the least queued, among these the first.
// Lost devices are not considered. INVALID_ARGUMENT when there is no device of the kind; the
// devices' own error when all are lost.
absl::StatusOr<uint32_t> LeastUsed(const std::vector<DeviceLoad>& devices, absl::string_view kind);

}  // namespace acceld::engine
