#pragma once

#include "common/files/unique_fd.h"
#include "common/status.h"

namespace acceld::lifetime {

// Moves the daemon to the background: it becomes a child process in a session of its own, so that
// neither terminals nor signals for the starter's process group reach it, and nobody has to wait
// for it.
class Background {
 public:
  // Forks. Only the child, which runs in the background, returns from this function, with /dev/null
  // as its standard input. The parent waits until the child calls Ready, and exits with 0, or until
  // the child has ended, and exits with the child's exit status. The process must have only one
  // thread.
  static absl::StatusOr<Background> Enter();

  // Reports that clients can connect.
  void Ready();

 private:
  explicit Background(UniqueFd ready) : ready_(std::move(ready)) {}

  // The pipe to the waiting parent.
  UniqueFd ready_;
};

}  // namespace acceld::lifetime
