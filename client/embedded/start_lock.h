#pragma once

#include <string>

#include "absl/types/optional.h"
#include "common/files/unique_fd.h"
#include "common/status.h"

namespace acceld::client {

// The exclusive right to start the daemon of a socket: a lock (flock(2)) on the file PATH.start,
// which one process, or one thread, holds at a time. The operating system releases it when the
// process ends. The file is never removed.
class StartLock {
 public:
  // Tries to take the lock of the daemon at `socket_path`, without waiting. nullopt: another
  // process or thread holds it. Errors contain the file and the operating system's reason.
  static absl::StatusOr<absl::optional<StartLock>> Try(const std::string& socket_path);
  StartLock(StartLock&&) = default;
  StartLock& operator=(StartLock&&) = default;
  ~StartLock();

 private:
  explicit StartLock(UniqueFd fd) : fd_(std::move(fd)) {}

  UniqueFd fd_;
};

}  // namespace acceld::client
