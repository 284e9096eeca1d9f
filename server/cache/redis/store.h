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

// A key-value store on one Redis server, a master found by Sentinels, or a cluster. Keeps idle
// connections for reuse. While the servers do not answer, it fails calls at once (Breaker).
// Thread-safe. Calls block until their timeout at most, name resolution and connecting included.
class Store {
 public:
  struct Options {
    Url url;
    TlsOptions tls;
    std::chrono::milliseconds timeout{2'000};  // of one command, connecting included
    size_t max_reply_bytes = size_t{1} << 30;
    Breaker::Options breaker;
  };
  struct Stats {
    uint64_t calls = 0, failures = 0;  // failures: no reply, or an error
    uint64_t refusals = 0;             // calls rejected because the breaker was open
    uint64_t breaker_openings = 0;
    bool breaker_is_open = false;
  };

  explicit Store(Options options);

  // Runs a command on the server that has `key`. The command must touch only keys of that hash slot
  // and be idempotent, as it is sent again when a reused connection breaks. `bytes`, the amount of
  // data sent or received, lengthens the timeout. UNAVAILABLE while the breaker is open; INTERNAL,
  // with the server's text, for an error reported by the server; RESOURCE_EXHAUSTED when the server
  // is out of memory; PERMISSION_DENIED when it denies access; CANCELLED after Close; otherwise the
  // errors of Connection::Call.
  absl::StatusOr<Reply> Call(absl::string_view key, absl::Span<const absl::string_view> command,
                             uint64_t bytes = 0);
  // Returns the servers that hold keys, for commands that concern all of them. The errors of Call.
  absl::StatusOr<std::vector<Endpoint>> Nodes();
  // Runs a command on one of these servers. The errors of Call.
  absl::StatusOr<Reply> CallNode(const Endpoint& node, absl::Span<const absl::string_view> command);

  // Makes all calls in progress and later ones fail with CANCELLED.
  void Close() { closing_.Raise(); }
  bool is_closed() const { return closing_.is_raised(); }
  Stats stats() const;

 private:
  // A connection to use. `is_used`: it was idle before, so that its server may have closed it.
  struct AllowanceHold {
    std::unique_ptr<Connection> connection;
    bool is_used = false;
  };

  // Runs a command, on `node` or (nullptr) on the server of `key`, subject to the breaker.
  absl::StatusOr<Reply> Guarded(Clock::time_point deadline, absl::string_view key,
                                const Endpoint* node, absl::Span<const absl::string_view> command);
  // Runs a command on the server of `key`, following the redirections of a cluster.
  absl::StatusOr<Reply> Follow(Clock::time_point deadline, absl::string_view key,
                               absl::Span<const absl::string_view> command);
  // Runs a command on one server; on a new connection if a reused one turns out to be broken.
  // `asking`: sends ASKING first, as an ASK redirection requires.
  absl::StatusOr<Reply> CallAt(const Endpoint& endpoint, Clock::time_point deadline,
                               absl::Span<const absl::string_view> command, bool asking = false);
  // Returns the server to try first for `key`.
  absl::StatusOr<Endpoint> EndpointOf(absl::string_view key, Clock::time_point deadline);
  absl::StatusOr<Endpoint> AskSentinels(Clock::time_point deadline);
  // Returns an idle connection or opens one; `fresh`: always opens one.
  absl::StatusOr<AllowanceHold> Take(const Endpoint& endpoint, Clock::time_point deadline,
                                     bool fresh);
  void GiveBack(std::unique_ptr<Connection> connection);
  // Forgets the master, the slot table and the idle connections.
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
