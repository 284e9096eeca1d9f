#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <memory>
#include <string>

#include "client/embedded/start_options.h"
#include "common/files/unique_fd.h"
#include "common/status.h"

namespace acceld::client {

// A daemon for this process alone, with its socket in a folder of its own. It ends with this
// object, or with the process, however that ends; processes that were forked from it and have not
// started another program count as this one. It sets no memory aside in advance. One thread.
class PrivateDaemon {
 public:
  // Blocks until clients can connect. The errors of FindDaemon and LaunchDaemon; the autostart and
  // idle_timeout of the options mean nothing here.
  static absl::StatusOr<std::unique_ptr<PrivateDaemon>> Start(const StartOptions& options);
  // Blocks until the daemon has ended, which takes no longer than its shutdown-grace.
  ~PrivateDaemon();
  PrivateDaemon(const PrivateDaemon&) = delete;
  PrivateDaemon& operator=(const PrivateDaemon&) = delete;

  // As ConnectOptions have it.
  std::string address() const;

 private:
  PrivateDaemon() = default;

  const pid_t owner_ = getpid();  // A process that was forked from it ends nothing.
  std::string folder_;            // of the socket and the log; empty: none yet
  UniqueFd lifetime_;             // The daemon has the other side.
};

}  // namespace acceld::client
