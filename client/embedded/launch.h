#pragma once

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "client/embedded/daemon_log.h"
#include "common/status.h"

namespace acceld::client {

// A daemon to be started.
struct Launch {
  std::string binary;   // absolute
  std::string address;  // where it listens: "unix:PATH"
  std::vector<std::string> flags;
  // Variables that it gets where the environment has none of these names.
  std::vector<std::pair<std::string, std::string>> environment;
  // A pipe or socket with whose other side it ends (its setting exit-with-fd); -1: none.
  int lifetime_fd = -1;
};

enum class Launched {
  kReady,  // clients can connect
  kTaken,  // another daemon listens there, or has just begun to
};

// Starts the daemon and waits until it is ready. It belongs to no terminal and is no child of this
// process: it neither hears the signals that are for this one nor ends with it, and nobody has to
// wait for it. It inherits the environment, without what a service manager has put there for this
// process, and no open file but the log, as standard output and error, and `lifetime_fd`. It runs
// in the root folder, or with a `lifetime_fd` in this process's. Works in processes with many
// threads: nothing of this one runs in the child.
//
// FAILED_PRECONDITION when the daemon ends, DEADLINE_EXCEEDED when it takes longer than `timeout`
// (then it goes on): both quote the end of the log; else the system's error. Blocks.
absl::StatusOr<Launched> LaunchDaemon(const Launch& launch, const DaemonLog& log,
                                      std::chrono::milliseconds timeout);

}  // namespace acceld::client
