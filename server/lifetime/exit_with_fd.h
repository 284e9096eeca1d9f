#pragma once

#include <functional>
#include <memory>
#include <thread>

#include "common/files/unique_fd.h"
#include "common/status.h"

namespace acceld::lifetime {

// Watches a pipe or socket that was passed to the process at its start. Its other end is held by a
// process that needs the daemon: the system closes that end when the process ends, however it ends.
class ExitWithFd {
 public:
  // Takes ownership of `fd`; child processes do not inherit it. `on_close` is called once, on a
  // thread of this object, when nobody holds the other end any more. INVALID_ARGUMENT when `fd` is
  // not an open pipe or socket.
  static absl::StatusOr<std::unique_ptr<ExitWithFd>> Start(int fd, std::function<void()> on_close);
  // Waits for a call of `on_close` to return. The descriptor stays open until the process ends, so
  // that the holder of the other end notices the end.
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
  std::thread thread_;  // the last member, as it uses the others
};

}  // namespace acceld::lifetime
