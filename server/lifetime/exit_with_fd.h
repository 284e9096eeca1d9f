#pragma once

#include <functional>
#include <memory>
#include <thread>

#include "common/files/unique_fd.h"
#include "common/status.h"

namespace acceld::lifetime {

// Watches a pipe or socket that the process was started with, whose other side somebody holds who
// needs the daemon: the system closes it when that process ends, however it ends.
class ExitWithFd {
 public:
  // Owns `fd` from now on; processes that this one starts do not get it. `on_close` is called once,
  // on a thread of the watch, when nobody has the other side any more. INVALID_ARGUMENT when `fd`
  // is no open pipe or socket.
  static absl::StatusOr<std::unique_ptr<ExitWithFd>> Start(int fd, std::function<void()> on_close);
  // Waits for a call of `on_close` to return. The descriptor stays open until the process ends, so
  // that the other side sees when that is.
  ~ExitWithFd();
  ExitWithFd(const ExitWithFd&) = delete;
  ExitWithFd& operator=(const ExitWithFd&) = delete;

 private:
  ExitWithFd(int fd, UniqueFd stop_read, UniqueFd stop_write, std::function<void()> on_close);
  void Watch();

  const int fd_;
  const UniqueFd stop_read_;
  UniqueFd stop_write_;
  const std::function<void()> on_close_;
  std::thread thread_;  // Last: it uses the rest.
};

}  // namespace acceld::lifetime
