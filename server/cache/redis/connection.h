#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "common/status.h"
#include "server/cache/redis/reply.h"
#include "server/cache/redis/transport.h"

namespace acceld::cache::redis {

// How to talk to a server.
struct ConnectionOptions {
  TlsOptions tls;
  std::string user, password;
  int database = 0;
  size_t max_reply_bytes = size_t{1} << 30;
  const Interrupt* interrupt = nullptr;  // lives longer than the connection
};

// One connection, ready for commands. One thread at a time.
class Connection {
 public:
  // PERMISSION_DENIED when the server does not take user and password; else the errors of
  // Transport::Connect and Call.
  static absl::StatusOr<std::unique_ptr<Connection>> Open(const Endpoint& endpoint,
                                                          const ConnectionOptions& options,
                                                          Clock::time_point deadline);

  // Sends a command, its name and arguments, and gives the answer, which may be an error of the
  // server's. UNAVAILABLE, DEADLINE_EXCEEDED, CANCELLED or DATA_LOSS when there is none;
  // then the connection is of no more use.
  absl::StatusOr<Reply> Call(absl::Span<const absl::string_view> command,
                             Clock::time_point deadline);

  bool is_usable() const { return is_usable_; }
  const Endpoint& endpoint() const { return endpoint_; }

 private:
  Connection(Endpoint endpoint, std::unique_ptr<Transport> transport, size_t max_reply_bytes)
      : endpoint_(std::move(endpoint)),
        transport_(std::move(transport)),
        reader_(max_reply_bytes) {}

  absl::Status Greet(const ConnectionOptions& options, Clock::time_point deadline);
  absl::StatusOr<Reply> Exchange(absl::Span<const absl::string_view> command,
                                 Clock::time_point deadline);

  const Endpoint endpoint_;
  const std::unique_ptr<Transport> transport_;
  ReplyReader reader_;
  bool is_usable_ = true;
};

}  // namespace acceld::cache::redis
