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

// The cache tier that the daemons of a team share in Redis, and the agreement on which of them
// compiles. A search returns the executable, or a lease (the right to compile it for the team), or
// neither: then Redis does not answer, or another daemon has been compiling for too long, and the
// caller should compile for itself. What was compiled is uploaded in the background.
//
// A daemon holds at most `max_leases` leases while it compiles, so that a busy daemon leaves
// programs to idle ones.
//
// Thread-safe. Of the functions, only the List that returns a page, Verify, Remove and the
// destructor block on Redis.
class RemoteTier {
 public:
  struct Options {
    redis::Store::Options redis;
    EntryStore::Options entries;
    // A lease expires when its holder has not renewed it for so long.
    std::chrono::milliseconds lease{10'000};
    // The longest wait for a compile of another daemon.
    std::chrono::milliseconds max_wait{60'000};
    int max_leases = 1;
    // The bytes that may wait to be uploaded; entries beyond that are not uploaded.
    int64_t max_upload_bytes = int64_t{256} << 20;
    // How long the destructor waits for uploads. It bounds the destructor even when Redis hangs.
    std::chrono::milliseconds shutdown_wait{3'000};
  };
  struct Stats {
    uint64_t hits = 0, misses = 0;  // of searches
    uint64_t leases = 0;            // leases taken, to compile for the team
    uint64_t waits = 0;             // searches that waited for another daemon's compile
    uint64_t waits_given_up = 0;    // searches that waited for too long
    uint64_t leases_lost = 0;       // leases that expired while this daemon compiled
    uint64_t uploads_failed = 0, uploads_dropped = 0;
    EntryStore::Stats entries;
    redis::Store::Stats redis;
  };
  // A lease that this daemon holds. Its destructor gives the lease back in the background.
  class Lease;
  // The result of a search.
  struct Outcome {
    absl::optional<Entry> entry;
    // nullptr: the caller may compile, but no other daemon waits for the result.
    std::shared_ptr<Lease> lease;
  };
  using Done = std::function<void(Outcome)>;

  explicit RemoteTier(Options options);
  // Calls Stop, then waits at most `shutdown_wait` for uploads; the rest is dropped.
  ~RemoteTier();
  RemoteTier(const RemoteTier&) = delete;
  RemoteTier& operator=(const RemoteTier&) = delete;

  // Searches for an entry. Calls `done` once, on a thread that it must not block; maybe before Find
  // returns.
  void Find(EntryHeader wanted, Done done);
  // Uploads the entry in the background, then gives the lease (nullptr: none) back.
  void Publish(EntryHeader header, std::string payload, std::shared_ptr<Lease> lease);
  // Calls `done` with the result of EntryStore::List within some seconds, on a thread that it must
  // not block.
  void List(size_t limit, std::function<void(absl::StatusOr<std::vector<EntryHeader>>)> done);
  // Returns a page of entries: see EntryStore::List. Blocks on Redis.
  absl::StatusOr<EntryStore::Page> List(absl::string_view from, size_t count) {
    return entries_.List(from, count);
  }
  struct Audit {
    // The number of valid entries, the size of their payloads before compression, and the number of
    // invalid entries.
    uint64_t entries = 0, bytes = 0, bad = 0;
  };
  // Verifies all entries. Blocks on Redis.
  absl::StatusOr<Audit> Verify();
  // Removes these entries, or all when `keys` is empty. Returns how many there were. Blocks on
  // Redis.
  absl::StatusOr<uint64_t> Remove(absl::Span<const Digest> keys);
  // See EntryStore::ReplaceKeys.
  void ReplaceKeys(std::vector<SigningKey> keys) { entries_.ReplaceKeys(std::move(keys)); }
  // See EntryStore::Refuse.
  void Refuse(const Digest& key, const absl::Status& reason);
  // Ends all searches, including later ones, with neither entry nor lease.
  void Stop();

  Stats stats() const;

 private:
  struct Search;
  using SearchPtr = std::shared_ptr<Search>;

  // Queues a step of a search on calls_.
  void Run(SearchPtr search, void (RemoteTier::*step)(SearchPtr));
  // The steps of a search. LookUp loads the entry; TryToLead tries to get the lease; Wait sets a
  // timer for Poll, which checks whether another daemon still holds the lease; Finish calls `done`.
  void LookUp(SearchPtr search);
  void TryToLead(SearchPtr search);
  void Poll(SearchPtr search);
  void Wait(SearchPtr search);
  void Finish(const SearchPtr& search, Outcome outcome);

  bool is_stopping() const;
  // Takes a free slot for a lease. Returns false when there is none: the search is queued and
  // continues when it gets one.
  bool TakeSlot(const SearchPtr& search);
  void GiveSlotBack();
  // Renews the lease at intervals until it is released.
  void KeepAlive(std::weak_ptr<Lease> lease);
  void Release(const Digest& key, std::string token);
  // Saves an entry and counts failures.
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
  // Leases that may still be taken.
  int free_slots_ ABSL_GUARDED_BY(mutex_);
  // Searches that wait for a free slot.
  std::deque<SearchPtr> queue_ ABSL_GUARDED_BY(mutex_);
  // Searches that wait for their timer, by id.
  absl::flat_hash_map<uint64_t, SearchPtr> waiting_ ABSL_GUARDED_BY(mutex_);
  uint64_t last_wait_ ABSL_GUARDED_BY(mutex_) = 0;
  int64_t upload_bytes_ ABSL_GUARDED_BY(mutex_) = 0;

  // The last members, as their threads use the others. Each kind of work has its own threads:
  // renewals of leases must not wait behind searches, nor uploads, for which other daemons wait,
  // behind background work. Work submitted while the tier is destroyed is not run.
  ThreadPool calls_, lease_calls_, uploads_, background_;
  TimerQueue timers_;
};

}  // namespace acceld::cache
