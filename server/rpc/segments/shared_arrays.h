#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "common/files/unique_fd.h"
#include "common/memory/shared_bytes.h"
#include "common/status.h"
#include "common/threads/fair_pool.h"
#include "common/threads/mutex.h"
#include "common/threads/timer_queue.h"
#include "server/engine/session/session.h"
#include "server/rpc/session/share_table.h"

namespace acceld::rpc {

// Arrays in memory that clients map: each is copied there once, however many map it, and nobody can
// change it then (F_SEAL_WRITE). It counts against the limits, and is there for the next client,
// until no client has it any more: the kernel knows (a lease on the file, fcntl(2)), whatever
// clients say. It is part of the share of who has it copied. Any thread may call.
class SharedArrays : public std::enable_shared_from_this<SharedArrays> {
 public:
  struct Limits {
    uint64_t bytes = 0;
    uint64_t arrays = 0;
    int share_percent = 100;  // of either, for one identity
  };
  // Uses `timers` and `threads` from time to time, also after its own end.
  SharedArrays(Limits limits, TimerQueue& timers, FairPool& threads)
      : limits_(limits),
        timers_(timers),
        threads_(threads),
        shares_of_bytes_(
            std::make_shared<ShareTable>("shared-array-size", limits.bytes, limits.share_percent)),
        shares_of_arrays_(std::make_shared<ShareTable>("max-shared-arrays", limits.arrays,
                                                       limits.share_percent)) {}

  // A copy that is being made.
  struct Draft {
    UniqueFd fd;
    size_t filled_bytes = 0;
    std::shared_ptr<const void> room;  // What counts against the limits, shared with nobody.
  };
  // Copies a bit more of `bytes` to `draft`, empty at first. When all is there, or was before: a
  // descriptor to pass on; until then, none. RESOURCE_EXHAUSTED: a limit, or what else the system
  // says; the array is to be copied to the client, who is `identity`, then.
  absl::StatusOr<UniqueFd> Share(const SharedBytes& bytes, const engine::Identity& identity,
                                 Draft& draft);

 private:
  struct Shared {
    std::weak_ptr<const void> source;
    UniqueFd fd;
    std::shared_ptr<const void> room;
  };

  // A descriptor of its own for the bytes of `source`, if they are shared.
  UniqueFd Find(const std::weak_ptr<const void>& source) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::StatusOr<Draft> Begin(size_t size_bytes, const engine::Identity& identity);
  absl::StatusOr<std::shared_ptr<const void>> TakeRoom(size_t size_bytes,
                                                       const engine::Identity& identity);
  absl::StatusOr<UniqueFd> Finish(const SharedBytes& bytes, Draft draft);
  // Lets go of those that no client has.
  void Sweep();
  void SweepLater() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void SweepAgain();

  const Limits limits_;
  TimerQueue& timers_;
  FairPool& threads_;
  const std::shared_ptr<ShareTable> shares_of_bytes_, shares_of_arrays_;  // Shared with rooms.
  Mutex mutex_;
  std::vector<Shared> shared_ ABSL_GUARDED_BY(mutex_);
  uint64_t bytes_ ABSL_GUARDED_BY(mutex_) = 0;  // Drafts included.
  uint64_t arrays_ ABSL_GUARDED_BY(mutex_) = 0;
  bool sweeps_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace acceld::rpc
