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

// How to connect and log in to a server.
struct ConnectionOptions {
  TlsOptions tls;
  std::string user, password;
  int database = 0;
  size_t max_reply_bytes = size_t{1} << 30;
  const Interrupt* interrupt = nullptr;  // must outlive the connection; nullptr: none
};

// An authenticated connection to a Redis server. Must be used by one thread at a time; calls block
// until their deadline at most.
class Connection {
 public:
  // Connects and logs in. PERMISSION_DENIED when the server rejects user and password,
  // FAILED_PRECONDITION when it rejects the database; also the errors of Transport::Connect and
  // Call.
  static absl::StatusOr<std::unique_ptr<Connection>> Open(const Endpoint& endpoint,
                                                          const ConnectionOptions& options,
                                                          Clock::time_point deadline);

  // Sends a command (its name and arguments) and returns the reply, which may be an error reported
  // by the server. UNAVAILABLE, DEADLINE_EXCEEDED, CANCELLED or DATA_LOSS when no reply arrived;
  // the connection is unusable after that.
  absl::StatusOr<Reply> Call(absl::Span<const absl::string_view> command,
                             Clock::time_point deadline);

  bool is_usable() const { return is_usable_; }
  const Endpoint& endpoint() const { return endpoint_; }

 private:
  Connection(Endpoint endpoint, std::unique_ptr<Transport> transport, size_t max_reply_bytes)
      : endpoint_(std::move(endpoint)),
        transport_(std::move(transport)),
        reader_(max_reply_bytes) {}

  // Logs in and selects the database.
  absl::Status SendHello(const ConnectionOptions& options, Clock::time_point deadline);
  absl::StatusOr<Reply> Exchange(absl::Span<const absl::string_view> command,
                                 Clock::time_point deadline);

  const Endpoint endpoint_;
  const std::unique_ptr<Transport> transport_;
  ReplyReader reader_;
  bool is_usable_ = true;
};

}  // namespace acceld::cache::redis
