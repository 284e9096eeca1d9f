#pragma once

#include <chrono>
#include <string>

#include "absl/strings/string_view.h"
#include "common/files/unique_fd.h"
#include "common/status.h"

namespace acceld::systemd {

// What the daemon tells the service manager that started it, by the protocol of sd_notify(3): a
// datagram to the unix socket $NOTIFY_SOCKET. Without one all of this does nothing. Any thread; a
// call waits at most seconds, and what cannot be said is logged.
class Manager {
 public:
  // Takes the variables NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID out of the environment; call
  // it once, before there are threads. INVALID_ARGUMENT for an address that is no unix socket's.
  static absl::StatusOr<Manager> FromEnvironment();

  // The daemon serves. `status` is a line for people.
  void Ready(absl::string_view status) const;
  // The configuration is read again; Ready follows.
  void Reloading() const;
  // It ends, at the latest after `longest`: the manager waits as long, even if its own setting is
  // shorter.
  void Stopping(std::chrono::milliseconds longest) const;
  void Alive() const;

  // How often Alive is to be called at least; zero: it need not be.
  std::chrono::microseconds watchdog() const { return watchdog_; }

 private:
  void Send(absl::string_view message) const;

  std::string address_;  // as sockaddr_un has it
  UniqueFd socket_;
  std::chrono::microseconds watchdog_{0};
};

}  // namespace acceld::systemd
