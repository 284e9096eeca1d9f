#pragma once

#include <cstdint>
#include <string>

#include "client/admin.h"
#include "common/status.h"

namespace acceld::tools {

struct KillFlags {
  uint64_t session = 0;
  std::string reason;  // for the client and the log
};
// Ends a session.
absl::Status Kill(client::Admin& admin, const KillFlags& flags);

struct DrainFlags {
  bool wait = false;  // until no session is left
  bool undo = false;
};
// Has the daemon take no new sessions, or take them again. With `wait` it ends when no session is
// open any more; FAILED_PRECONDITION when somebody undoes the drain meanwhile.
absl::Status Drain(client::Admin& admin, const DrainFlags& flags);

struct HealthFlags {
  bool live = false;  // a daemon that takes no new sessions is well, too
};
// Says whether the daemon takes new sessions. The exit code: 0 when it does, kExitNotServing when
// it answers but does not, unless with `live`.
constexpr int kExitNotServing = 3;
absl::StatusOr<int> CheckHealth(client::Admin& admin, const HealthFlags& flags);

}  // namespace acceld::tools
