#pragma once

#include <string>

#include "absl/types/optional.h"
#include "common/files/unique_fd.h"
#include "common/status.h"

namespace acceld::client {

// The right to start the daemon of a socket: a lock on the file PATH.start, which one process, or
// one thread, has at a time. The system takes it back when the process ends. The file stays.
class StartLock {
 public:
  // None: another one has it. The system's error, with the file, when there cannot be one. Does not
  // wait.
  static absl::StatusOr<absl::optional<StartLock>> Try(const std::string& socket_path);
  StartLock(StartLock&&) = default;
  StartLock& operator=(StartLock&&) = default;
  ~StartLock();

 private:
  explicit StartLock(UniqueFd fd) : fd_(std::move(fd)) {}

  UniqueFd fd_;
};

}  // namespace acceld::client
