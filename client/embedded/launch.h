#pragma once

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "client/embedded/daemon_log.h"
#include "common/status.h"

namespace acceld::client {

// How to start a daemon.
struct Launch {
  std::string binary;   // Absolute.
  std::string address;  // Where the daemon is to listen: "unix:PATH".
  std::vector<std::string> flags;
  // Environment variables to add, unless this process has variables of the same names.
  std::vector<std::pair<std::string, std::string>> environment;
  // One end of a pipe or socket pair: the daemon gets it, and exits when the other end is closed
  // (its setting exit-with-fd). -1: none.
  int lifetime_fd = -1;
};

// The outcome of LaunchDaemon.
enum class Launched {
  kReady,  // Clients can connect.
  kTaken,  // Another daemon listens there or is about to.
};

// Starts the daemon and waits until it is ready. The daemon is detached: it has no controlling
// terminal and is not a child of this process, so it does not receive this process's signals, does
// not end with it, and need not be waited for.
//
// It inherits the environment, except the variables by which a service manager addresses this
// process. Of the open files it inherits only the log, as standard output and error, and
// `lifetime_fd`. Its working directory is the root folder or, with a `lifetime_fd`, that of this
// process. Safe in multi-threaded processes: posix_spawn is used, so no code of this process runs
// in the child.
//
// FAILED_PRECONDITION if the daemon exits, DEADLINE_EXCEEDED if it is not ready within `timeout`
// (it keeps running then); both quote the end of the log. Otherwise the operating system's error.
// Blocks.
absl::StatusOr<Launched> LaunchDaemon(const Launch& launch, const DaemonLog& log,
                                      std::chrono::milliseconds timeout);

}  // namespace acceld::client
