#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "common/memory/allowance.h"
#include "common/status.h"
#include "common/threads/mutex.h"
#include "common/threads/timer_queue.h"
#include "server/engine/engine.h"
#include "server/observability/instruments/rpc_instruments.h"
#include "server/rpc/auth/caller.h"
#include "server/rpc/auth/peer_credentials.h"

namespace acceld::rpc {

// The connections that gRPC serves: whose they are, and how many one may have. Who is at a unix
// socket is known at once; who comes over TCP, with the first call that is let in. Until then it is
// one of a few, and has a short time: when there are too many the oldest of them is ended, so that
// those who are slow lock nobody out.
//
// gRPC names a connection to the calls that come through it, by its descriptor ("fd:17") or its
// address ("ipv4:127.0.0.1:40312"), and closes the descriptor only when the last of those calls is
// gone: as long as a call lives, the name means the same connection. That gRPC has closed a
// descriptor is found out now and then, by the number of the socket behind it.
//
// Any thread may call; nothing blocks.
class Connections {
 public:
  struct Limits {
    uint64_t descriptors = 0;  // how many the process may have open
    uint64_t reserve = 0;      // of them, for admins and for the daemon itself
    size_t unidentified = 64;
    std::chrono::milliseconds patience{5000};  // with those who have not said who they are
  };
  // Both outlive it.
  Connections(engine::Engine& engine, observability::RpcInstruments& instruments, Limits limits);

  // From now on, looks after the connections by `timers`, whose callbacks end before this does.
  void Watch(TimerQueue& timers);

  const Limits& limits() const { return limits_; }
  // Whether a descriptor that was just opened for somebody is outside of the reserve, or he is an
  // admin. RESOURCE_EXHAUSTED.
  absl::Status CheckReserve(int fd, bool is_admin) const;

  // A connection that was just accepted, before gRPC gets its descriptor. `identity`: who is known
  // to be at its other end, if anybody is. An error: it is to be closed.
  absl::Status AddUnix(int fd, PeerCredentials peer,
                       const absl::optional<engine::Identity>& identity);
  absl::Status AddTcp(int fd);

  struct Found {
    absl::optional<PeerCredentials> peer;  // of a unix socket
    bool is_identified = false;
  };
  // `peer` as ServerContext::peer says it. What is not known here is no connection of ours, and
  // counts as identified.
  Found Find(absl::string_view peer) const;
  // A call of `identity` is let in over the connection. RESOURCE_EXHAUSTED: it has too many.
  absl::Status Identify(absl::string_view peer, const engine::Identity& identity);
  // Somebody asks for what everybody may know: the connection's time is not up.
  void NoteOpenCall(absl::string_view peer);

 private:
  using Clock = std::chrono::steady_clock;
  struct Connection {
    ino_t socket = 0;  // The kernel's number of it.
    absl::optional<PeerCredentials> peer;
    std::string address;  // of TCP
    bool is_identified = false, has_open_calls = false;
    Clock::time_point since;
    Taken descriptors;
  };
  using Table = absl::flat_hash_map<int, Connection>;
  // One that did not say whose it is, and why it was ended.
  struct Ended {
    Caller caller;
    absl::Status why;
  };

  void Add(int fd, Connection connection);
  void Remove(Table::iterator connection) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // The descriptor that calls name so; -1: none.
  int DescriptorOf(absl::string_view peer) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Forgets the connections that are over: all, or those that are not identified.
  void Sweep(bool all) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Makes room for one more that is not identified.
  void MakeRoom(std::vector<Ended>& ended) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void EndSilent(Table::iterator connection, absl::Status why, std::vector<Ended>& ended)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Every call waits for the lock, so this happens without it.
  void Note(const std::vector<Ended>& ended);
  void Look();
  void LookLater() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  engine::Engine& engine_;
  observability::RpcInstruments& instruments_;
  const Limits limits_;
  mutable Mutex mutex_;
  TimerQueue* timers_ ABSL_GUARDED_BY(mutex_) = nullptr;
  bool looks_ ABSL_GUARDED_BY(mutex_) = false;  // A timer is set.
  size_t unidentified_ ABSL_GUARDED_BY(mutex_) = 0;
  Clock::time_point swept_at_ ABSL_GUARDED_BY(mutex_);
  Table connections_ ABSL_GUARDED_BY(mutex_);  // By descriptor.
  absl::flat_hash_map<std::string, int> by_address_ ABSL_GUARDED_BY(mutex_);
};

// Takes a charge that admins get also when there is nothing left.
absl::Status TakeUnlessAdmin(engine::Engine& engine, const engine::Identity& identity,
                             int64_t descriptors, Taken& taken);

}  // namespace acceld::rpc
