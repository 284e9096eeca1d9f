#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "common/threads/mutex.h"
#include "common/threads/thread_pool.h"
#include "common/threads/timer_queue.h"
#include "server/cache/entry.h"
#include "server/cache/occasional_log.h"
#include "server/cache/redis/store.h"
#include "server/cache/remote/entry_store.h"
#include "server/cache/remote/leases.h"

namespace acceld::cache {

// The executables of a team, and who makes the next. A search ends with the executable, with the
// right to compile it for the team (a lease), or with neither: then Redis is in trouble, or
// another daemon has been compiling for too long, and the caller compiles for itself. What was
// compiled is sent in the background.
//
// While a daemon compiles, it asks for the leases of no more than it can compile at the same time,
// so that the programs of a busy daemon are left to idle ones.
//
// Thread-safe; nothing here waits for Redis but the destructor.
class RemoteTier {
 public:
  struct Options {
    redis::Store::Options redis;
    EntryStore::Options entries;
    std::chrono::milliseconds lease{10'000};     // without a sign of life of its holder
    std::chrono::milliseconds max_wait{60'000};  // for what another daemon compiles
    int max_leases = 1;
    int64_t max_upload_bytes = int64_t{256} << 20;  // that wait to be sent; more are dropped
    // For what has not been sent by then. It bounds the destructor, whatever Redis does.
    std::chrono::milliseconds shutdown_wait{3'000};
  };
  struct Stats {
    uint64_t hits = 0, misses = 0;  // of searches
    uint64_t leases = 0;            // compiles for the team
    uint64_t waits = 0;             // searches that waited for another daemon's compile
    uint64_t waits_given_up = 0;    // of these, those that waited for too long
    uint64_t leases_lost = 0;       // that another could have taken while this daemon compiled
    uint64_t uploads_failed = 0, uploads_dropped = 0;
    EntryStore::Stats entries;
    redis::Store::Stats redis;
  };
  // Gives the lease back, in the background, when nobody has it any more.
  class Lease;
  struct Outcome {
    absl::optional<Entry> entry;
    std::shared_ptr<Lease> lease;  // nullptr: nobody may rely on this compile
  };
  using Done = std::function<void(Outcome)>;

  explicit RemoteTier(Options options);
  // As Stop, then waits for uploads, `shutdown_wait` at most; what is left is dropped.
  ~RemoteTier();
  RemoteTier(const RemoteTier&) = delete;
  RemoteTier& operator=(const RemoteTier&) = delete;

  // Calls `done` once, on a thread that it must not block.
  void Find(EntryHeader wanted, Done done);
  // Makes the entry known to the team, then gives the lease back.
  void Publish(EntryHeader header, std::string payload, std::shared_ptr<Lease> lease);
  // Calls `done` with what EntryStore::List gives within some seconds, on a thread that it must not
  // block.
  void List(size_t limit, std::function<void(absl::StatusOr<std::vector<EntryHeader>>)> done);
  // See EntryStore. Waits for Redis.
  absl::StatusOr<EntryStore::Page> List(absl::string_view from, size_t count) {
    return entries_.List(from, count);
  }
  struct Audit {
    uint64_t entries = 0, bytes = 0, bad = 0;  // bytes: before compression
  };
  // Reads and verifies all entries, and removes these, or all where none are named (how many there
  // were). Both wait for Redis.
  absl::StatusOr<Audit> Verify();
  absl::StatusOr<uint64_t> Remove(absl::Span<const Digest> keys);
  // See EntryStore::ReplaceKeys.
  void ReplaceKeys(std::vector<SigningKey> keys) { entries_.ReplaceKeys(std::move(keys)); }
  // See EntryStore::Refuse.
  void Refuse(const Digest& key, const absl::Status& reason);
  // Ends every search, those to come too, with neither entry nor lease.
  void Stop();

  Stats stats() const;

 private:
  struct Search;
  using SearchPtr = std::shared_ptr<Search>;

  void Run(SearchPtr search, void (RemoteTier::*step)(SearchPtr));
  void LookUp(SearchPtr search);
  void TryToLead(SearchPtr search);
  void Poll(SearchPtr search);
  void Wait(SearchPtr search);
  void Finish(const SearchPtr& search, Outcome outcome);

  bool is_stopping() const;
  // Takes one of the slots for compiles, or queues the search for it.
  bool TakeSlot(const SearchPtr& search);
  void GiveSlotBack();
  void KeepAlive(std::weak_ptr<Lease> lease);
  void Release(const Digest& key, std::string token);
  void Upload(const EntryHeader& header, absl::string_view payload);

  const Options options_;
  redis::Store redis_;
  EntryStore entries_;
  Leases leases_;
  OccasionalLog log_;
  std::atomic<uint64_t> hits_{0}, misses_{0}, leases_taken_{0}, waits_{0}, waits_given_up_{0},
      leases_lost_{0}, uploads_failed_{0}, uploads_dropped_{0};

  mutable Mutex mutex_;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  int free_slots_ ABSL_GUARDED_BY(mutex_);                                    // for leases
  std::deque<SearchPtr> queue_ ABSL_GUARDED_BY(mutex_);                       // for one of these
  absl::flat_hash_map<uint64_t, SearchPtr> waiting_ ABSL_GUARDED_BY(mutex_);  // for a time
  uint64_t last_wait_ ABSL_GUARDED_BY(mutex_) = 0;
  int64_t upload_bytes_ ABSL_GUARDED_BY(mutex_) = 0;

  // The last members: their threads use the others. What keeps leases does not wait behind
  // searches, nor uploads, for which others wait, behind what nobody waits for. What is submitted
  // at the end is not run.
  ThreadPool calls_, lease_calls_, uploads_, background_;
  TimerQueue timers_;
};

}  // namespace acceld::cache
