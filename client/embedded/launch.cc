#include "client/embedded/launch.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <thread>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "common/files/unique_fd.h"
#include "common/net/address.h"

namespace acceld::client {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kPause{5};
constexpr int kExitTaken = 3;  // Documented in `acceld --help`.
// Added to the number of the signal that ended a process, as in shells.
constexpr int kSignalExit = 128;
// The number that lifetime_fd has in the daemon.
constexpr int kLifetimeFd = 3;
// Environment variables by which a service manager addresses this process and not its children.
constexpr absl::string_view kServiceManagerVariables[] = {
    "LISTEN_FDS", "LISTEN_FDNAMES", "LISTEN_PID", "NOTIFY_SOCKET", "WATCHDOG_PID", "WATCHDOG_USEC"};

bool HasName(absl::string_view variable, absl::string_view name) {
  return variable.size() > name.size() && variable[name.size()] == '=' &&
         absl::StartsWith(variable, name);
}

// Returns the daemon's environment as "NAME=VALUE" strings.
std::vector<std::string> EnvironmentOf(const Launch& launch) {
  std::vector<std::string> variables;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const bool is_managers =
        std::any_of(std::begin(kServiceManagerVariables), std::end(kServiceManagerVariables),
                    [variable](absl::string_view name) { return HasName(*variable, name); });
    if (!is_managers) variables.emplace_back(*variable);
  }
  for (const auto& [name, value] : launch.environment) {
    const bool is_there =
        std::any_of(variables.begin(), variables.end(),
                    [&name](const auto& variable) { return HasName(variable, name); });
    if (!is_there) variables.push_back(absl::StrCat(name, "=", value));
  }
  return variables;
}

std::vector<std::string> ArgumentsOf(const Launch& launch, const DaemonLog& log) {
  std::vector<std::string> arguments = {
      launch.binary, "--detach", "--listen",        launch.address,
      "--log-file",  log.path(), "--log-file-size", absl::StrCat(DaemonLog::kMaxBytes)};
  if (launch.lifetime_fd >= 0) {
    arguments.insert(arguments.end(), {"--exit-with-fd", absl::StrCat(kLifetimeFd)});
  }
  arguments.insert(arguments.end(), launch.flags.begin(), launch.flags.end());
  return arguments;
}

// Returns the array of pointers that execve expects; they point into `texts`.
std::vector<char*> Pointers(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

// Duplicates `fd` to a number above those that the child process uses, so that no dup2 there
// overwrites the source of another one.
absl::StatusOr<UniqueFd> DuplicateAboveChildFds(int fd) {
  UniqueFd copy(fcntl(fd, F_DUPFD_CLOEXEC, kLifetimeFd + 1));
  if (!copy.valid()) return absl::ErrnoToStatus(errno, "cannot duplicate a file descriptor");
  return copy;
}

struct FreeActions {
  void operator()(posix_spawn_file_actions_t* actions) const {
    posix_spawn_file_actions_destroy(actions);
  }
};
struct FreeAttributes {
  void operator()(posix_spawnattr_t* attributes) const { posix_spawnattr_destroy(attributes); }
};

// Starts the daemon's process, which detaches itself (--detach).
absl::StatusOr<pid_t> Spawn(const Launch& launch, const DaemonLog& log) {
  std::vector<std::string> arguments = ArgumentsOf(launch, log);
  std::vector<std::string> environment = EnvironmentOf(launch);
  ACCELD_ASSIGN_OR_RETURN(const UniqueFd log_fd, DuplicateAboveChildFds(log.fd()));
  UniqueFd lifetime;
  if (launch.lifetime_fd >= 0) {
    ACCELD_ASSIGN_OR_RETURN(lifetime, DuplicateAboveChildFds(launch.lifetime_fd));
  }

  // These calls fail only for lack of memory, and then a later one fails as well.
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  const std::unique_ptr<posix_spawn_file_actions_t, FreeActions> free_actions(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, log_fd.get(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, log_fd.get(), STDERR_FILENO);
  if (lifetime.valid()) {
    posix_spawn_file_actions_adddup2(&actions, lifetime.get(), kLifetimeFd);
  }
  posix_spawn_file_actions_addclosefrom_np(&actions,
                                           lifetime.valid() ? kLifetimeFd + 1 : STDERR_FILENO + 1);
  if (!lifetime.valid()) posix_spawn_file_actions_addchdir_np(&actions, "/");

  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  const std::unique_ptr<posix_spawnattr_t, FreeAttributes> free_attributes(&attributes);
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);

  pid_t child = 0;
  const int error = posix_spawn(&child, launch.binary.c_str(), &actions, &attributes,
                                Pointers(arguments).data(), Pointers(environment).data());
  if (error != 0) {
    return absl::ErrnoToStatus(error, absl::StrCat("cannot start the daemon ", launch.binary));
  }
  return child;
}

// How the process that detaches itself has ended.
struct Ended {
  bool in_time = false;
  // The exit code. nullopt if it is unknown, because this process ignores SIGCHLD or other code in
  // it waits for all children.
  absl::optional<int> status;
};

Ended Await(pid_t child, std::chrono::milliseconds timeout) {
  const Clock::time_point deadline = Clock::now() + timeout;
  while (true) {
    int status = 0;
    const pid_t ended = waitpid(child, &status, WNOHANG);
    if (ended == child) {
      return {true, WIFEXITED(status) ? WEXITSTATUS(status) : kSignalExit + WTERMSIG(status)};
    }
    if (ended < 0 && errno == ECHILD) return {true, absl::nullopt};
    if (Clock::now() >= deadline) return {};
    std::this_thread::sleep_for(kPause);
  }
}

std::string Quoted(const DaemonLog& log) {
  return absl::StrCat("; the end of its log ", log.path(), ":\n", log.Tail());
}

}  // namespace

absl::StatusOr<Launched> LaunchDaemon(const Launch& launch, const DaemonLog& log,
                                      std::chrono::milliseconds timeout) {
  ACCELD_ASSIGN_OR_RETURN(const pid_t child, Spawn(launch, log));
  const Ended ended = Await(child, timeout);
  if (!ended.in_time) {
    // That process only waits for the daemon, which keeps running. It must be waited for so that it
    // does not remain a zombie.
    std::thread([child] {
      int ignored = 0;
      while (waitpid(child, &ignored, 0) < 0 && errno == EINTR) {
      }
    }).detach();
    return absl::DeadlineExceededError(absl::StrCat("the daemon ", launch.binary,
                                                    " was started and does not answer after ",
                                                    timeout.count(), " ms", Quoted(log)));
  }
  if (!ended.status.has_value()) {
    ACCELD_ASSIGN_OR_RETURN(const Address address, ParseAddress(launch.address));
    if (Probe(address).ok()) return Launched::kReady;
  }
  if (ended.status == 0) return Launched::kReady;
  if (ended.status == kExitTaken) return Launched::kTaken;
  return absl::FailedPreconditionError(absl::StrCat(
      "the daemon ", launch.binary, " cannot start: it ended",
      ended.status.has_value() ? absl::StrCat(" with ", *ended.status) : "", Quoted(log)));
}

}  // namespace acceld::client
