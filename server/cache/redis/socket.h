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

// UNAVAILABLE, with the server's name.
absl::Status Failed(const Endpoint& endpoint, absl::string_view what, absl::string_view why);

// A connected TCP socket that does not block; closed with this object. One thread at a time.
class Socket {
 public:
  // To whichever of the host's addresses takes the connection first, in their order; each has its
  // share of the time. UNAVAILABLE with what the system says, and the errors of CheckTime.
  static absl::StatusOr<Socket> Dial(const Endpoint& endpoint, Clock::time_point deadline,
                                     const Interrupt* interrupt);

  Socket(Socket&&) noexcept = default;
  Socket& operator=(Socket&&) = delete;

  int fd() const { return fd_.get(); }
  const Endpoint& endpoint() const { return endpoint_; }
  // DEADLINE_EXCEEDED past the deadline, CANCELLED after the interrupt. A server that always has
  // something to say is not waited for, so this is to be asked between any two reads or writes.
  absl::Status CheckTime(Clock::time_point deadline) const;
  // Waits for `events`, of poll(2). The errors of CheckTime.
  absl::Status Await(short events, Clock::time_point deadline) const;

 private:
  Socket(Endpoint endpoint, const Interrupt* interrupt, UniqueFd fd)
      : endpoint_(std::move(endpoint)), interrupt_(interrupt), fd_(std::move(fd)) {}

  Endpoint endpoint_;
  const Interrupt* interrupt_;  // may be nullptr
  UniqueFd fd_;
};

}  // namespace acceld::cache::redis
