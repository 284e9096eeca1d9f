#pragma once

#include <cstdint>
#include <string>

#include "client/admin.h"
#include "common/status.h"

namespace acceld::tools {

// Options of `accelctl kill`.
struct KillFlags {
  uint64_t session = 0;
  std::string reason;  // Shown to the client and in the log.
};
// Ends a session.
absl::Status Kill(client::Admin& admin, const KillFlags& flags);

// Options of `accelctl drain`.
struct DrainFlags {
  bool wait = false;  // Return only when no session is open.
  // Accept new sessions again.
  bool undo = false;
};
// Makes the daemon refuse new sessions, or accept them again. With `wait`, blocks until no session
// is open; FAILED_PRECONDITION if another caller undoes the drain meanwhile.
absl::Status Drain(client::Admin& admin, const DrainFlags& flags);

// Options of `accelctl health`.
struct HealthFlags {
  // Exit code 0 also for a daemon that refuses new sessions.
  bool live = false;
};
// The exit code for a daemon that answers but refuses new sessions.
constexpr int kExitNotServing = 3;
// Prints whether the daemon accepts new sessions. Returns the exit code: 0 if it does,
// kExitNotServing if it answers but does not (0 with `live`).
absl::StatusOr<int> CheckHealth(client::Admin& admin, const HealthFlags& flags);

}  // namespace acceld::tools
