#include "client/tools/accelctl/control.h"

#include <chrono>
#include <iostream>
#include <thread>

namespace acceld::tools {
namespace {

constexpr std::chrono::milliseconds kPollInterval{200};

}  // namespace

absl::Status Kill(client::Admin& admin, const KillFlags& flags) {
  ACCELD_RETURN_IF_ERROR(admin.KillSession(flags.session, flags.reason));
  std::cout << "session " << flags.session << " was ended\n";
  return absl::OkStatus();
}

absl::Status Drain(client::Admin& admin, const DrainFlags& flags) {
  ACCELD_ASSIGN_OR_RETURN(uint64_t sessions, admin.Drain(flags.undo));
  if (flags.undo) {
    std::cout << "the daemon takes new sessions again; " << sessions << " are open" << std::endl;
    return absl::OkStatus();
  }
  std::cout << "the daemon takes no new sessions; " << sessions << " are open" << std::endl;
  while (flags.wait && sessions > 0) {
    std::this_thread::sleep_for(kPollInterval);
    ACCELD_ASSIGN_OR_RETURN(const client::ServerStats stats, admin.GetStats());
    if (!stats.draining) return absl::FailedPreconditionError("the drain was undone");
    sessions = stats.sessions;
  }
  if (flags.wait) std::cout << "no session is open" << std::endl;
  return absl::OkStatus();
}

absl::StatusOr<int> CheckHealth(client::Admin& admin, const HealthFlags& flags) {
  ACCELD_ASSIGN_OR_RETURN(const bool serving, admin.IsServing());
  std::cout << (serving ? "serving" : "not serving: it takes no new sessions") << std::endl;
  return serving || flags.live ? 0 : kExitNotServing;
}

}  // namespace acceld::tools
