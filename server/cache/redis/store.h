#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "common/status.h"
#include "common/threads/mutex.h"
#include "server/cache/redis/breaker.h"
#include "server/cache/redis/connection.h"
#include "server/cache/redis/url.h"

namespace acceld::cache::redis {

// Keys and values, by one Redis or several: it finds the master that sentinels name and the node
// that has a key of a cluster, keeps connections, and while nothing answers refuses at once
// (Breaker). Thread-safe; calls block, names and connecting included, for the timeout at most.
class Store {
 public:
  struct Options {
    Url url;
    TlsOptions tls;
    std::chrono::milliseconds timeout{2'000};  // of a command, connecting included
    size_t max_reply_bytes = size_t{1} << 30;
    Breaker::Options breaker;
  };
  struct Stats {
    uint64_t calls = 0, failures = 0;  // failures: no answer, or an error
    uint64_t refusals = 0;             // because the breaker was open
    uint64_t breaker_openings = 0;
    bool breaker_is_open = false;
  };

  explicit Store(Options options);

  // A command that touches `key` and no key of another slot, and may be sent twice when a
  // connection breaks. UNAVAILABLE while the breaker is open; INTERNAL for an error of the server,
  // with its text; RESOURCE_EXHAUSTED when it is full; CANCELLED after Close; else as of
  // Connection. So many bytes to be carried, there or back, make the timeout longer.
  absl::StatusOr<Reply> Call(absl::string_view key, absl::Span<const absl::string_view> command,
                             uint64_t bytes = 0);
  // Each node that holds keys, for commands that concern all. The errors of Call.
  absl::StatusOr<std::vector<Endpoint>> Nodes();
  absl::StatusOr<Reply> CallNode(const Endpoint& node, absl::Span<const absl::string_view> command);

  // Ends all calls, those to come too.
  void Close() { closing_.Raise(); }
  bool is_closed() const { return closing_.is_raised(); }
  Stats stats() const;

 private:
  // Whether the connection has been used before, so that its server may be gone since.
  struct Taken {
    std::unique_ptr<Connection> connection;
    bool is_used = false;
  };

  absl::StatusOr<Reply> Guarded(Clock::time_point deadline, absl::string_view key,
                                const Endpoint* node, absl::Span<const absl::string_view> command);
  absl::StatusOr<Reply> Follow(Clock::time_point deadline, absl::string_view key,
                               absl::Span<const absl::string_view> command);
  absl::StatusOr<Reply> CallAt(const Endpoint& endpoint, Clock::time_point deadline,
                               absl::Span<const absl::string_view> command, bool asking = false);
  absl::StatusOr<Endpoint> EndpointOf(absl::string_view key, Clock::time_point deadline);
  absl::StatusOr<Endpoint> AskSentinels(Clock::time_point deadline);
  absl::StatusOr<Taken> Take(const Endpoint& endpoint, Clock::time_point deadline, bool fresh);
  void GiveBack(std::unique_ptr<Connection> connection);
  // What was learned of where things are is not to be relied on.
  void ForgetTopology();

  const Options options_;
  Breaker breaker_;
  Interrupt closing_;
  std::atomic<uint64_t> calls_{0}, failures_{0}, refusals_{0};
  mutable Mutex mutex_;
  absl::flat_hash_map<std::string, std::vector<std::unique_ptr<Connection>>> idle_
      ABSL_GUARDED_BY(mutex_);
  absl::optional<Endpoint> master_ ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_map<uint16_t, Endpoint> slots_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace acceld::cache::redis
