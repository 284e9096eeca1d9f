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

// Copies of arrays in shared memory that clients map into their address spaces. An array is copied
// once, however many clients map it, and the copy cannot be changed (F_SEAL_WRITE). A copy exists,
// and counts against the limits, until no client has it open or mapped; the daemon learns that from
// the kernel (by a file lease, F_SETLEASE in fcntl(2)), so clients cannot misreport it. A copy is
// charged to the share of the identity for which it was made. Thread-safe; must be owned by a
// shared_ptr.
class SharedArrays : public std::enable_shared_from_this<SharedArrays> {
 public:
  // Limits for all copies together.
  struct Limits {
    uint64_t bytes = 0;
    uint64_t arrays = 0;
    int share_percent = 100;  // how much of each one identity may use
  };
  // Tasks on `timers` and `threads` remove unused copies from time to time. They do nothing after
  // this object is destroyed, but both queues must outlive it.
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
    std::shared_ptr<const void> room;  // the charge against the limits; not shared
  };
  // Copies a few more megabytes of `bytes` to `draft`, which is default-constructed for the first
  // call. Returns a descriptor for the client when the copy is complete or a complete one existed
  // before, and an invalid one until then. The client is `identity`. RESOURCE_EXHAUSTED when a
  // limit is reached, or the system's error; the array must be sent to the client in another way
  // then.
  absl::StatusOr<UniqueFd> Share(const SharedBytes& bytes, const engine::Identity& identity,
                                 Draft& draft);

 private:
  struct Shared {
    std::weak_ptr<const void> source;
    UniqueFd fd;
    std::shared_ptr<const void> room;
  };

  // Returns a new descriptor of the copy of `source`; an invalid one if there is no copy.
  UniqueFd Find(const std::weak_ptr<const void>& source) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::StatusOr<Draft> Begin(size_t size_bytes, const engine::Identity& identity);
  // Charges an array of this size against the limits and the identity's share. The charge lasts as
  // long as the object that is returned.
  absl::StatusOr<std::shared_ptr<const void>> TakeRoom(size_t size_bytes,
                                                       const engine::Identity& identity);
  // Seals a complete copy and adds it to shared_.
  absl::StatusOr<UniqueFd> Finish(const SharedBytes& bytes, Draft draft);
  // Removes the copies that no client uses.
  void Sweep();
  // Sets a timer for SweepAgain, unless one is set.
  void ScheduleSweep() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Sweeps, and sets the timer again if copies are left.
  void SweepAgain();

  const Limits limits_;
  TimerQueue& timers_;
  FairPool& threads_;
  const std::shared_ptr<ShareTable> shares_of_bytes_, shares_of_arrays_;  // shared with charges
  Mutex mutex_;
  std::vector<Shared> shared_ ABSL_GUARDED_BY(mutex_);
  uint64_t bytes_ ABSL_GUARDED_BY(mutex_) = 0;               // of copies and drafts
  uint64_t arrays_ ABSL_GUARDED_BY(mutex_) = 0;              // copies and drafts
  bool sweep_is_scheduled_ ABSL_GUARDED_BY(mutex_) = false;  // the timer is set
};

}  // namespace acceld::rpc
