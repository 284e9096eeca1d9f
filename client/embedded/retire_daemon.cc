#include "client/embedded/retire_daemon.h"

#include <memory>
#include <thread>

#include "absl/strings/str_cat.h"
#include "client/admin.h"
#include "common/net/address.h"

namespace acceld::client {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kPause{20};
// How long a session of this process may still be counted after it was closed.
constexpr std::chrono::milliseconds kCloseDelay{1000};

absl::Status Busy(uint64_t sessions) {
  return absl::FailedPreconditionError(
      absl::StrCat(sessions, sessions == 1 ? " session is" : " sessions are", " open with it"));
}

// Tells the daemon to exit. OK means that it will.
absl::Status Ask(const Admin& admin) {
  const Clock::time_point patience = Clock::now() + kCloseDelay;
  while (true) {
    ACCELD_ASSIGN_OR_RETURN(const ServerStats stats, admin.GetStats());
    if (!stats.ends_when_idle) {
      return absl::FailedPreconditionError("it is not one that clients have started");
    }
    if (stats.sessions == 0) break;
    if (Clock::now() > patience) return Busy(stats.sessions);
    std::this_thread::sleep_for(kPause);
  }
  ACCELD_ASSIGN_OR_RETURN(const uint64_t sessions, admin.Drain());
  if (sessions == 0) return absl::OkStatus();
  ACCELD_RETURN_IF_ERROR(admin.Drain(/*undo=*/true).status());
  return Busy(sessions);
}

}  // namespace

absl::Status RetireIdleDaemon(const std::string& address, const Credentials& credentials,
                              std::chrono::milliseconds timeout) {
  const Clock::time_point deadline = Clock::now() + timeout;
  ACCELD_ASSIGN_OR_RETURN(const Address parsed, ParseAddress(address));
  {
    const absl::StatusOr<std::unique_ptr<Admin>> admin =
        Admin::Connect({.address = address, .credentials = credentials});
    const absl::Status asked = admin.ok() ? Ask(**admin) : admin.status();
    // A daemon that is UNAVAILABLE may be exiting already.
    if (!asked.ok() && !absl::IsUnavailable(asked)) return asked;
  }
  while (Probe(parsed).ok()) {
    if (Clock::now() > deadline) {
      return absl::DeadlineExceededError(
          absl::StrCat("the daemon at ", address, " was asked to end, and has not"));
    }
    std::this_thread::sleep_for(kPause);
  }
  return absl::OkStatus();
}

}  // namespace acceld::client
