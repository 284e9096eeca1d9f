#include "client/embedded/connect_or_start.h"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "client/embedded/daemon_log.h"
#include "client/embedded/find_daemon.h"
#include "client/embedded/launch.h"
#include "client/embedded/private_daemon.h"
#include "client/embedded/retire_daemon.h"
#include "client/embedded/start_lock.h"
#include "client/embedded/version_skew.h"
#include "common/net/address.h"

namespace acceld::client {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;
using Connected = absl::StatusOr<std::shared_ptr<Client>>;

// Pause between two checks of a daemon that another process is starting, or that is shutting down.
constexpr milliseconds kPause{20};
// How long an idle daemon may take to exit.
constexpr milliseconds kRetireTimeout{20'000};

// Returns whether the error may come from a daemon that is shutting down or has gone.
bool IsTransient(const absl::Status& status) {
  return absl::IsUnavailable(status) || absl::IsCancelled(status);
}

std::string VersionOf(const StartOptions& start) {
  return start.client_version.empty() ? ACCELD_VERSION : start.client_version;
}

// Returns the error for incompatible versions. `kept` says why the daemon was not replaced; empty
// if that was not tried.
absl::Status SkewError(absl::string_view version, absl::string_view address,
                       absl::string_view daemon_version, absl::string_view kept) {
  const std::string what =
      absl::StrCat("this client is acceld ", version, ", the daemon at ", address, " is acceld ",
                   daemon_version, ", and these do not go together; ");
  const std::string install =
      absl::StrCat("install what goes with it: pip install 'acceld==", daemon_version, "'");
  if (kept.empty()) {
    return absl::FailedPreconditionError(
        absl::StrCat(what, "restart that daemon as acceld ", version, ", or ", install));
  }
  return absl::FailedPreconditionError(
      absl::StrCat(what, "it cannot be replaced now, because ", kept,
                   ": let it end (`accelctl drain --wait` waits until nobody uses it), set "
                   "ACCELD_AUTOSTART=private for a daemon of this process's own, or ",
                   install));
}

// Opens a session with a running daemon whose version must be compatible with `version`.
Connected ConnectTo(const ConnectOptions& options, const std::string& version) {
  ACCELD_ASSIGN_OR_RETURN(std::shared_ptr<Client> client, Client::Connect(options));
  const std::string& theirs = client->daemon_version();
  if (CompareVersions(version, theirs).skew != Skew::kOther) return client;
  return SkewError(version, client->address(), theirs, "");
}

bool IsNamed(const ConnectOptions& options) {
  const char* const address = std::getenv("ACCELD_ADDRESS");
  return !options.address.empty() || (address != nullptr && *address != '\0');
}

absl::StatusOr<Autostart> ModeOf(const StartOptions& start) {
  if (start.autostart.has_value()) return *start.autostart;
  const char* const text = std::getenv("ACCELD_AUTOSTART");
  return ParseAutostart(text == nullptr ? "" : text);
}

Connected ConnectPrivately(ConnectOptions options, const StartOptions& start) {
  ACCELD_ASSIGN_OR_RETURN(std::shared_ptr<PrivateDaemon> daemon, PrivateDaemon::Start(start));
  options.address = daemon->address();
  ACCELD_ASSIGN_OR_RETURN(std::shared_ptr<Client> client, ConnectTo(options, VersionOf(start)));
  Client* const raw = client.get();
  // When the last reference to the client is dropped, the session ends first and then the daemon.
  return std::shared_ptr<Client>(
      raw, [daemon = std::move(daemon), client = std::move(client)](Client*) mutable {
        client.reset();
        daemon.reset();
      });
}

// The daemon that all processes of the user share, at the user's own default address.
class SharedDaemon {
 public:
  SharedDaemon(ConnectOptions options, const StartOptions& start, Address address)
      : options_(std::move(options)),
        start_(start),
        version_(VersionOf(start)),
        address_(std::move(address)),
        deadline_(Clock::now() + start.start_timeout) {
    options_.address = address_.ToString();
  }

  Connected ConnectOrStart() {
    ACCELD_RETURN_IF_ERROR(PrepareSocketFolder(address_));
    while (true) {
      Connected client = Connect();
      if (client.ok() || !IsTransient(client.status())) return client;
      if (Rest().count() == 0) return TooLate(client.status());
      ACCELD_ASSIGN_OR_RETURN(const bool started, StartIfAbsent());
      if (!started) std::this_thread::sleep_for(kPause);
    }
  }

 private:
  milliseconds Rest() const {
    const auto rest = std::chrono::duration_cast<milliseconds>(deadline_ - Clock::now());
    return std::max(rest, milliseconds(0));
  }

  absl::Status TooLate(const absl::Status& last) const {
    return absl::DeadlineExceededError(
        absl::StrCat("no acceld daemon of this user's has taken a session within ",
                     start_.start_timeout.count(), " ms: ", last.message()));
  }

  // Opens a session. If the daemon is incompatible, or older than this library, replaces it if it
  // is idle. A daemon that cannot be replaced is used if it is compatible.
  Connected Connect() {
    ACCELD_ASSIGN_OR_RETURN(std::shared_ptr<Client> client, Client::Connect(options_));
    const std::string theirs = client->daemon_version();
    const VersionSkew found = CompareVersions(version_, theirs);
    const bool go_together = found.skew != Skew::kOther;
    if (go_together && (!found.daemon_is_older || has_retired_)) return client;
    if (has_retired_) return SkewError(version_, options_.address, theirs, "");
    client.reset();  // This session must not keep the daemon from exiting.
    const absl::Status retired =
        RetireIdleDaemon(options_.address, options_.credentials, std::min(Rest(), kRetireTimeout));
    // Any daemon that is there afterwards has the version of the installed executable.
    has_retired_ = retired.ok();
    if (retired.ok()) return absl::UnavailableError("the daemon was replaced");
    if (go_together) return Client::Connect(options_);
    return SkewError(version_, options_.address, theirs, retired.message());
  }

  // Returns true if this call has started a daemon. Returns false if another process is starting
  // one, or if a daemon is there that accepts no sessions at the moment, because it is shutting
  // down or draining.
  absl::StatusOr<bool> StartIfAbsent() {
    if (Probe(address_).ok()) return false;
    ACCELD_ASSIGN_OR_RETURN(const absl::optional<StartLock> lock,
                            StartLock::Try(address_.unix_path));
    if (!lock.has_value()) return false;
    // The previous holder of the lock has started one.
    if (Probe(address_).ok()) return false;
    absl::StatusOr<std::string> binary = FindDaemon(start_.daemon_path);
    if (!binary.ok()) {
      return Annotate(binary.status(), absl::StrCat("no acceld daemon listens at ",
                                                    options_.address, ", and none can be started"));
    }
    const std::string folder = address_.unix_path.substr(0, address_.unix_path.rfind('/'));
    ACCELD_ASSIGN_OR_RETURN(const DaemonLog log, DaemonLog::OpenOfUser(folder));
    Launch launch{.binary = *std::move(binary), .address = options_.address};
    const std::chrono::duration<double> idle_s = start_.idle_timeout;
    launch.flags = {"--exit-when-idle", absl::StrCat(idle_s.count())};
    launch.flags.insert(launch.flags.end(), start_.flags.begin(), start_.flags.end());
    ACCELD_ASSIGN_OR_RETURN(const Launched launched, LaunchDaemon(launch, log, Rest()));
    switch (launched) {
      case Launched::kReady:
        return true;
      case Launched::kTaken:
        return false;
    }
    return false;
  }

  ConnectOptions options_;
  const StartOptions& start_;
  const std::string version_;
  const Address address_;
  const Clock::time_point deadline_;
  bool has_retired_ = false;
};

}  // namespace

absl::StatusOr<std::shared_ptr<Client>> ConnectOrStart(ConnectOptions options,
                                                       const StartOptions& start) {
  ACCELD_ASSIGN_OR_RETURN(const Autostart mode, ModeOf(start));
  if (IsNamed(options)) {
    if (mode == Autostart::kPrivate) {
      return absl::InvalidArgumentError(absl::StrCat(
          "a daemon is named (", options.address.empty() ? DefaultAddress() : options.address,
          "), and one of this process's own is asked for: unset either "
          "ACCELD_ADDRESS or ACCELD_AUTOSTART"));
    }
    return ConnectTo(options, VersionOf(start));
  }
  if (mode == Autostart::kPrivate) return ConnectPrivately(std::move(options), start);
  ACCELD_ASSIGN_OR_RETURN(Address own, ParseAddress(DefaultAddress()));
  const std::string found = DefaultClientAddress();
  if (mode == Autostart::kOff || found != own.ToString()) {
    Connected client = ConnectTo(options, VersionOf(start));
    if (client.ok() || !absl::IsUnavailable(client.status())) return client;
    if (mode == Autostart::kOff) {
      return Annotate(client.status(), "ACCELD_AUTOSTART is off, and so none was started");
    }
    // The machine's own daemon is running but accepts no sessions at the moment.
    ACCELD_ASSIGN_OR_RETURN(const Address machines, ParseAddress(found));
    if (Probe(machines).ok()) return client;
  }
  return SharedDaemon(std::move(options), start, std::move(own)).ConnectOrStart();
}

}  // namespace acceld::client
