#include "client/tools/accelctl/control.h"

#include <chrono>
#include <iostream>
#include <thread>

#include "client/tools/accelctl/views/format.h"

namespace acceld::tools {
namespace {

constexpr std::chrono::milliseconds kPollInterval{200};

// Returns "no session is open", "1 session is open".
std::string OpenText(uint64_t sessions) {
  if (sessions == 0) return "no session is open";
  return CountText(sessions, "session") + (sessions == 1 ? " is open" : " are open");
}

}  // namespace

absl::Status Kill(client::Admin& admin, const KillFlags& flags) {
  ACCELD_RETURN_IF_ERROR(admin.KillSession(flags.session, flags.reason));
  std::cout << "session " << flags.session << " was ended\n";
  return absl::OkStatus();
}

absl::Status Drain(client::Admin& admin, const DrainFlags& flags) {
  ACCELD_ASSIGN_OR_RETURN(uint64_t sessions, admin.Drain(flags.undo));
  if (flags.undo) {
    std::cout << "the daemon takes new sessions again; " << OpenText(sessions) << std::endl;
    return absl::OkStatus();
  }
  std::cout << "the daemon takes no new sessions; " << OpenText(sessions) << std::endl;
  if (!flags.wait || sessions == 0) return absl::OkStatus();
  while (sessions > 0) {
    std::this_thread::sleep_for(kPollInterval);
    ACCELD_ASSIGN_OR_RETURN(const client::ServerStats stats, admin.GetStats());
    if (!stats.draining) return absl::FailedPreconditionError("the drain was undone");
    sessions = stats.sessions;
  }
  std::cout << OpenText(sessions) << std::endl;
  return absl::OkStatus();
}

absl::StatusOr<int> CheckHealth(client::Admin& admin, const HealthFlags& flags) {
  ACCELD_ASSIGN_OR_RETURN(const bool serving, admin.IsServing());
  std::cout << (serving ? "serving" : "not serving: it takes no new sessions") << std::endl;
  return serving || flags.live ? 0 : kExitNotServing;
}

}  // namespace acceld::tools
