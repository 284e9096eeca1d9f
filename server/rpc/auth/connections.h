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

// The connections that gRPC serves: which identity each belongs to, and how many an identity may
// have. A connection over a unix socket whose user has a role is identified when it is accepted;
// any other connection is identified by the first call of an identity that Gate admits. The number
// of unidentified connections and the time that each may stay so are limited, and when one more
// than the limit is accepted the oldest of them is shut down, so that idle clients do not lock out
// others.
//
// gRPC tells a call its connection by a peer string (ServerContext::peer), which contains the
// descriptor ("fd:17") or the address ("ipv4:127.0.0.1:40312"). gRPC closes the descriptor only
// after the last call of the connection has ended, so during a call its peer string always means
// the same connection. gRPC does not report that it has closed a descriptor: this class checks from
// time to time whether each descriptor still refers to the same socket (by inode number).
//
// Thread-safe; nothing blocks.
class Connections {
 public:
  struct Limits {
    uint64_t descriptors = 0;  // how many the process may have open; 0: not known, not checked
    uint64_t reserve = 0;      // how many of them are kept for admins and for the daemon itself
    size_t unidentified = 64;  // how many connections may be unidentified
    std::chrono::milliseconds patience{5000};  // how long a connection may stay unidentified
  };
  // `engine` and `instruments` must outlive this object.
  Connections(engine::Engine& engine, observability::RpcInstruments& instruments, Limits limits);

  // Starts the regular checks of the connections, as callbacks of `timers`, which must be destroyed
  // before this object.
  void Watch(TimerQueue& timers);

  const Limits& limits() const { return limits_; }
  // RESOURCE_EXHAUSTED when `fd`, a descriptor that was just opened for a client, is one of the
  // last Limits::reserve descriptors of the process and the client is not an admin.
  absl::Status CheckReserve(int fd, bool is_admin) const;

  // Register a connection that was just accepted; to be called before gRPC gets the descriptor.
  // `identity` is that of the peer's user; nullopt: the connection is unidentified. After an error
  // (RESOURCE_EXHAUSTED, or the system's) the caller has to close the connection.
  absl::Status AddUnix(int fd, PeerCredentials peer,
                       const absl::optional<engine::Identity>& identity);
  absl::Status AddTcp(int fd);

  struct Found {
    absl::optional<PeerCredentials> peer;  // set for a unix socket
    bool is_identified = false;
  };
  // Looks up a connection by the peer string of one of its calls (ServerContext::peer). For a
  // string that means no registered connection, returns one without `peer` that is identified.
  Found Find(absl::string_view peer) const;
  // Records that Gate admits a call of `identity` over the connection, which counts as the
  // identity's from then on if it was unidentified. RESOURCE_EXHAUSTED when the identity, other
  // than an admin, has too many connections.
  absl::Status Identify(absl::string_view peer, const engine::Identity& identity);
  // Records a call that needs no identity (ACCELD_OPEN_RPC in rpcs.def). The connection stays
  // unidentified, but is no longer ended when Limits::patience is over.
  void NoteOpenCall(absl::string_view peer);

 private:
  using Clock = std::chrono::steady_clock;
  struct Connection {
    ino_t socket = 0;                      // the inode number of the socket
    absl::optional<PeerCredentials> peer;  // set for a unix socket
    std::string address;                   // of the peer, for TCP; empty for a unix socket
    bool is_identified = false, has_open_calls = false;
    Clock::time_point since;  // when it was accepted
    Taken descriptors;        // the charge to its identity
  };
  using Table = absl::flat_hash_map<int, Connection>;
  // An unidentified connection that was shut down, and the reason.
  struct Ended {
    Caller caller;
    absl::Status why;
  };

  void Add(int fd, Connection connection);
  void Remove(Table::iterator connection) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Returns the descriptor that the peer string of a call means; -1: none that is registered.
  int DescriptorOf(absl::string_view peer) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Removes the connections that gRPC has closed: all of them, or only the unidentified ones.
  void Sweep(bool all) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Makes room for one more unidentified connection, if need be by ending the oldest one, which is
  // then added to `ended`.
  void MakeRoom(std::vector<Ended>& ended) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Shuts down and removes an unidentified connection, and adds it to `ended`.
  void EndUnidentified(Table::iterator connection, absl::Status why, std::vector<Ended>& ended)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Counts and logs the connections that were ended. Called without mutex_, because every RPC
  // waits for that.
  void Note(const std::vector<Ended>& ended);
  // Removes closed connections and ends those that stayed unidentified for too long; called by the
  // timer that ScheduleCheck sets.
  void CheckConnections();
  // Sets the timer for the next CheckConnections, unless it is set or there are no connections.
  void ScheduleCheck() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  engine::Engine& engine_;
  observability::RpcInstruments& instruments_;
  const Limits limits_;
  mutable Mutex mutex_;
  TimerQueue* timers_ ABSL_GUARDED_BY(mutex_) = nullptr;
  bool check_is_scheduled_ ABSL_GUARDED_BY(mutex_) =
      false;                                         // the timer for CheckConnections is set
  size_t unidentified_ ABSL_GUARDED_BY(mutex_) = 0;  // how many of connections_ are
  Clock::time_point swept_at_ ABSL_GUARDED_BY(mutex_);
  Table connections_ ABSL_GUARDED_BY(mutex_);  // by descriptor
  absl::flat_hash_map<std::string, int> by_address_ ABSL_GUARDED_BY(mutex_);
};

// Charges `descriptors` file descriptors to the identity and stores the charge in `taken`.
// RESOURCE_EXHAUSTED when the identity's quota is used up; an admin gets OK even then, uncharged.
absl::Status TakeUnlessAdmin(engine::Engine& engine, const engine::Identity& identity,
                             int64_t descriptors, Taken& taken);

}  // namespace acceld::rpc
