#pragma once

#include <chrono>
#include <string>

#include "absl/strings/string_view.h"
#include "common/files/unique_fd.h"
#include "common/status.h"

namespace acceld::systemd {

// Notifies the service manager that started the daemon, by the protocol of sd_notify(3): datagrams
// to the unix socket $NOTIFY_SOCKET. Without that variable all functions do nothing. Thread-safe. A
// call blocks for at most 5 seconds; errors are logged.
class Manager {
 public:
  // Reads the variables NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID and removes them from the
  // environment. Must be called once, before threads are started. INVALID_ARGUMENT for a malformed
  // address or interval.
  static absl::StatusOr<Manager> FromEnvironment();

  // Reports that the daemon serves clients. `status` is a line for people.
  void Ready(absl::string_view status) const;
  // Reports that the configuration is being read again; Ready must follow.
  void Reloading() const;
  // Reports that the daemon is ending, within `longest`. The manager waits that long even if its
  // own timeout is shorter.
  void Stopping(std::chrono::milliseconds longest) const;
  // Reports that the daemon is alive, for the manager's watchdog.
  void Alive() const;

  // Returns the interval within which Alive must be called; zero: it need not be called.
  std::chrono::microseconds watchdog() const { return watchdog_; }

 private:
  void Send(absl::string_view message) const;

  std::string address_;  // in the format of sockaddr_un
  UniqueFd socket_;
  std::chrono::microseconds watchdog_{0};
};

}  // namespace acceld::systemd
