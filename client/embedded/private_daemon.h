#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <memory>
#include <string>

#include "client/embedded/start_options.h"
#include "common/files/unique_fd.h"
#include "common/status.h"

namespace acceld::client {

// A daemon for this process alone, with its socket and log in a temporary folder. The daemon ends
// when this object is destroyed, or when this process, together with any processes forked from it
// that have not executed another program, has ended in any way. The daemon does not reserve memory
// in advance. Not thread-safe.
class PrivateDaemon {
 public:
  // Starts the daemon; blocks until clients can connect. Ignores `autostart` and `idle_timeout` of
  // the options. Errors: those of FindDaemon and LaunchDaemon.
  static absl::StatusOr<std::unique_ptr<PrivateDaemon>> Start(const StartOptions& options);
  // Blocks until the daemon has ended, within its setting shutdown-grace, for at most 60 s. In a
  // process forked from the one that called Start the destructor does nothing.
  ~PrivateDaemon();
  PrivateDaemon(const PrivateDaemon&) = delete;
  PrivateDaemon& operator=(const PrivateDaemon&) = delete;

  // Returns the daemon's address, for ConnectOptions::address.
  std::string address() const;

 private:
  PrivateDaemon() = default;

  const pid_t owner_ = getpid();  // The process that may end the daemon.
  std::string folder_;            // Contains the socket and the log; empty before it is created.
  UniqueFd lifetime_;             // The daemon exits when this end is closed.
};

}  // namespace acceld::client
