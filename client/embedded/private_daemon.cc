#include "client/embedded/private_daemon.h"

#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "client/embedded/daemon_log.h"
#include "client/embedded/find_daemon.h"
#include "client/embedded/launch.h"

namespace acceld::client {
namespace {

namespace fs = std::filesystem;

// The longest folder name. Leaves room for the names of the sockets in it, within the system's
// limit for socket paths.
constexpr size_t kMaxFolderBytes = 80;
// A folder that has not changed for this long does not belong to a daemon that is just being
// started.
constexpr time_t kStartSeconds = 600;
constexpr std::chrono::seconds kMaxEnd{60};

std::string Prefix() { return absl::StrCat("acceld-private-", getuid(), "-"); }

// Returns $TMPDIR, or /tmp if the paths of sockets in $TMPDIR would be too long.
std::string TemporaryFolder() {
  const char* const folder = getenv("TMPDIR");
  const bool fits = folder != nullptr && *folder == '/' &&
                    std::string(folder).size() + Prefix().size() + 8 <= kMaxFolderBytes;
  return fits ? folder : "/tmp";
}

void Remove(const std::string& folder) {
  std::error_code ignored;
  fs::remove_all(folder, ignored);
}

// Returns whether `folder` is a private folder of this user whose daemon has gone.
bool IsLeftBehind(const std::string& folder) {
  struct stat info;
  if (lstat(folder.c_str(), &info) != 0 || !S_ISDIR(info.st_mode) || info.st_uid != getuid() ||
      time(nullptr) - info.st_mtime < kStartSeconds) {
    return false;
  }
  // A running daemon holds a lock on this file.
  const UniqueFd lock(
      open((folder + "/acceld.sock.lock").c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
  return !lock.valid() || flock(lock.get(), LOCK_EX | LOCK_NB) == 0;
}

// Removes the folders, with log and lock file, that are left of private daemons whose process was
// killed.
void RemoveLeftBehind() {
  std::error_code error;
  for (fs::directory_iterator entry(TemporaryFolder(), error), end; !error && entry != end;
       entry.increment(error)) {
    if (!absl::StartsWith(entry->path().filename().string(), Prefix())) continue;
    if (IsLeftBehind(entry->path().string())) Remove(entry->path().string());
  }
}

}  // namespace

absl::StatusOr<std::unique_ptr<PrivateDaemon>> PrivateDaemon::Start(const StartOptions& options) {
  ACCELD_ASSIGN_OR_RETURN(std::string binary, FindDaemon(options.daemon_path));
  RemoveLeftBehind();
  std::unique_ptr<PrivateDaemon> daemon(new PrivateDaemon());
  std::string folder = absl::StrCat(TemporaryFolder(), "/", Prefix(), "XXXXXX");
  if (mkdtemp(folder.data()) == nullptr) {
    return absl::ErrnoToStatus(errno, absl::StrCat("cannot make a folder ", folder));
  }
  daemon->folder_ = std::move(folder);
  int sides[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sides) != 0) {
    return absl::ErrnoToStatus(errno, "socketpair");
  }
  daemon->lifetime_ = UniqueFd(sides[0]);
  const UniqueFd theirs(sides[1]);
  ACCELD_ASSIGN_OR_RETURN(const DaemonLog log, DaemonLog::Open(daemon->folder_ + "/acceld.log"));
  ACCELD_ASSIGN_OR_RETURN(const Launched launched,
                          LaunchDaemon({.binary = std::move(binary),
                                        .address = daemon->address(),
                                        .flags = options.flags,
                                        .environment = {{"ACCELD_PREPARED_MEMORY", "0"}},
                                        .lifetime_fd = theirs.get()},
                                       log, options.start_timeout));
  switch (launched) {
    case Launched::kReady:
      return daemon;
    case Launched::kTaken:
      break;
  }
  // No other process knows the folder, so the flags must name a second address.
  return absl::AlreadyExistsError(
      absl::StrCat("the private daemon cannot listen; the end of its log:\n", log.Tail()));
}

PrivateDaemon::~PrivateDaemon() {
  if (getpid() != owner_) return;
  if (lifetime_.valid()) {
    // Processes that were forked from this one keep the socket open, but shutdown closes this
    // direction of it for all of them.
    (void)shutdown(lifetime_.get(), SHUT_WR);
    pollfd end{.fd = lifetime_.get(), .events = POLLIN | POLLRDHUP, .revents = 0};
    const auto timeout = std::chrono::milliseconds(kMaxEnd).count();
    while (poll(&end, 1, static_cast<int>(timeout)) < 0 && errno == EINTR) {
    }
  }
  if (!folder_.empty()) Remove(folder_);
}

std::string PrivateDaemon::address() const {
  return absl::StrCat("unix:", folder_, "/acceld.sock");
}

}  // namespace acceld::client
