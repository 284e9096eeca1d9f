#pragma once

#include <chrono>
#include <utility>

#include "absl/strings/string_view.h"
#include "common/files/unique_fd.h"
#include "common/status.h"
#include "server/cache/redis/interrupt.h"
#include "server/cache/redis/url.h"

namespace acceld::cache::redis {

using Clock = std::chrono::steady_clock;

// Returns UNAVAILABLE: the operation `what` on the server failed because of `why`.
absl::Status Failed(const Endpoint& endpoint, absl::string_view what, absl::string_view why);

// A connected, non-blocking TCP socket; the destructor closes it. Must be used by one thread at a
// time.
class Socket {
 public:
  // Resolves the host and connects to the first of its addresses that accepts. The time until the
  // deadline is divided between the addresses. UNAVAILABLE with the system's reason, and the errors
  // of CheckTime. Blocks.
  static absl::StatusOr<Socket> Dial(const Endpoint& endpoint, Clock::time_point deadline,
                                     const Interrupt* interrupt);

  Socket(Socket&&) noexcept = default;
  Socket& operator=(Socket&&) = delete;

  int fd() const { return fd_.get(); }
  const Endpoint& endpoint() const { return endpoint_; }
  // Returns DEADLINE_EXCEEDED past the deadline and CANCELLED once the interrupt is raised. Must be
  // called between any two reads or writes: a server that always has data ready never makes the
  // caller wait in Await, the other function that checks the time.
  absl::Status CheckTime(Clock::time_point deadline) const;
  // Waits for `events`, as in poll(2). The errors of CheckTime.
  absl::Status Await(short events, Clock::time_point deadline) const;

 private:
  Socket(Endpoint endpoint, const Interrupt* interrupt, UniqueFd fd)
      : endpoint_(std::move(endpoint)), interrupt_(interrupt), fd_(std::move(fd)) {}

  Endpoint endpoint_;
  const Interrupt* interrupt_;  // may be nullptr
  UniqueFd fd_;
};

}  // namespace acceld::cache::redis
