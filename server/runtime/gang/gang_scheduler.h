#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "common/threads/mutex.h"
#include "server/hal/gang.h"

namespace acceld::runtime {

class Gang;

// Decides when gangs begin, so that none can wait for a device that another has while that one
// waits for a device of the first.
//
// Gangs of one queue on the same devices begin in one order on all of them, and executors keep the
// order of one queue, so that several may be on the devices at a time. Gangs that share devices
// otherwise begin one after the other has ended, and so do gangs with host calls, as executors do
// not keep their order. Tasks that are in no gang are not concerned: they wait for arrays only,
// never for a device.
//
// Gangs of one queue begin in the order in which they are ready. Queues take turns, those of higher
// priority classes more often. A gang that may not begin yet reserves its devices, so that those
// behind it do not overtake it for ever.
//
// Thread-safe. Must outlive the gangs.
class GangScheduler {
 public:
  GangScheduler() = default;
  GangScheduler(const GangScheduler&) = delete;
  GangScheduler& operator=(const GangScheduler&) = delete;

  struct Counters {
    uint64_t begun = 0;          // since the start
    int running = 0;             // have begun and not ended
    int waiting = 0;             // are ready and wait for devices
    hal::Gang::Stats exchanged;  // by gangs that have ended
  };
  Counters counters() const;
  // Returns the number of gangs that have begun on a device and not ended.
  int RunningOn(int device) const;

  // For gangs: returns the number of a new gang, from 1 on.
  uint64_t NewNumber() { return ++last_number_; }
  // For gangs: begins a gang, all members of which are ready, now or later. `may_be_inline`: the
  // calling thread, which submits the last member, may dispatch the gang.
  void Begin(std::shared_ptr<Gang> gang, bool may_be_inline);
  // Notes the end of a gang, which may not have begun.
  void End(const Gang& gang);

 private:
  // The turn of a gang that waits, and the order of those that have the same turn.
  using Position = std::pair<uint64_t, uint64_t>;
  using Waiting = std::map<Position, std::shared_ptr<Gang>>;
  // The gangs on one device.
  struct Device {
    int num_waiting = 0;
    int num_running = 0;
    // Of those that run.
    uint64_t queue = 0;
    std::vector<int> devices;
    bool has_host_calls = false;
  };
  struct Queue {
    int num_gangs = 0;       // that wait or run
    uint64_t next_turn = 0;  // the earliest turn of the gang that is ready next
  };

  void AddWaiting(std::shared_ptr<Gang> gang) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  std::shared_ptr<Gang> TakeWaiting(Waiting::iterator waiting)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool MayBegin(const Gang& gang, const std::set<int>& reserved) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Begins the gangs that may. The lock is held while the members are released, so that all devices
  // get them in the same order. Returns whether the caller has to call Gang::DispatchInline of
  // `submitted`, a gang that it submits (nullptr: none), after the unlock.
  bool BeginWaiting(Gang* submitted) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Notes that a gang of the queue has ended.
  void LeaveQueue(uint64_t queue) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  std::atomic<uint64_t> last_number_{0};
  mutable Mutex mutex_;
  Waiting waiting_ ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_map<const Gang*, Position> positions_ ABSL_GUARDED_BY(mutex_);  // in waiting_
  std::set<const Gang*> running_ ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_map<int, Device> devices_ ABSL_GUARDED_BY(mutex_);
  size_t num_wanted_ ABSL_GUARDED_BY(mutex_) = 0;  // devices that gangs wait for
  std::map<uint64_t, Queue> queues_ ABSL_GUARDED_BY(mutex_);
  uint64_t current_turn_ ABSL_GUARDED_BY(mutex_) = 0;  // the latest of a gang that has begun
  uint64_t num_added_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t begun_ ABSL_GUARDED_BY(mutex_) = 0;
  hal::Gang::Stats exchanged_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace acceld::runtime
