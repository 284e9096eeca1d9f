#pragma once

#include "common/files/unique_fd.h"
#include "common/status.h"

namespace acceld::lifetime {

// A daemon that goes on in the background: in a session of its own, so that no terminal and no
// signal that is for the group of who started it reaches it, and as a child of nobody who has to
// wait for it.
class Background {
 public:
  // Splits the process in two. Only the one in the background returns from this, with standard
  // input from /dev/null. The other one waits until Ready, and ends with 0, or until the background
  // one has ended, and ends with its exit status. For a process that has one thread.
  static absl::StatusOr<Background> Enter();

  // Clients can connect.
  void Ready();

 private:
  explicit Background(UniqueFd ready) : ready_(std::move(ready)) {}

  UniqueFd ready_;  // to the process that waits
};

}  // namespace acceld::lifetime
