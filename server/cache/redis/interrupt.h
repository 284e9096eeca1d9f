#pragma once

#include <sys/eventfd.h>

#include <atomic>

#include "common/files/unique_fd.h"

namespace acceld::cache::redis {

// A flag that, once raised, permanently ends all waits for sockets that poll it. Thread-safe.
class Interrupt {
 public:
  Interrupt() : fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  // Raises the flag, and wakes threads that poll fd().
  void Raise() {
    raised_.store(true, std::memory_order_release);
    if (fd_.valid()) eventfd_write(fd_.get(), 1);
  }
  bool is_raised() const { return raised_.load(std::memory_order_acquire); }
  // Readable from then on. Negative when the system had none: then waits last to their deadlines.
  int fd() const { return fd_.get(); }

 private:
  const UniqueFd fd_;
  std::atomic<bool> raised_{false};
};

}  // namespace acceld::cache::redis
