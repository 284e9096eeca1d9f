#pragma once

#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>

namespace acceld::cache::redis {

// A flag that, once raised, permanently ends all waits for sockets that poll it. Thread-safe.
class Interrupt {
 public:
  Interrupt() : fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}
  ~Interrupt() {
    if (fd_ >= 0) close(fd_);
  }
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  // Raises the flag, and wakes threads that poll fd().
  void Raise() {
    raised_.store(true, std::memory_order_release);
    if (fd_ >= 0) eventfd_write(fd_, 1);
  }
  bool is_raised() const { return raised_.load(std::memory_order_acquire); }
  // An eventfd, readable once the flag is raised. Negative when the system could not create one:
  // waits then last until their deadlines.
  int fd() const { return fd_; }

 private:
  const int fd_;
  std::atomic<bool> raised_{false};
};

}  // namespace acceld::cache::redis
