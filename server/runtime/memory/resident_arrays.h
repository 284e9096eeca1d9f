#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "common/threads/mutex.h"
#include "server/runtime/memory/host_memory.h"
#include "server/runtime/memory/memory_shares.h"
#include "server/runtime/memory/meter.h"

namespace acceld::runtime {

class Array;

// The arrays that hold memory of one device and are worth spilling, in the order of their last use.
// Does not own the arrays; they remove themselves when they are destroyed. Thread-safe. The lock of
// this list is held while locks of arrays are taken, never the other way round.
class ResidentArrays {
 public:
  // Which arrays may be spilled: those that no task reads (kIdle), or also those that only queued
  // tasks read (kQueued).
  enum class Victims : uint8_t { kIdle, kQueued };
  // Smaller arrays are not in the list, as they are many and hold little memory.
  static constexpr int64_t kMinBytes = 4096;
  // How many arrays one call of Find returns and inspects at most, so that nobody waits for it for
  // long.
  static constexpr size_t kMaxFound = 256, kMaxInspected = 8192;
  using Position = std::list<Array*>::iterator;

  // Adds an array as the most recently used one.
  void Add(Array& array);
  // Removes an array; without effect when it is not in the list.
  void Remove(Array& array);
  // Marks an array as used now; without effect when it is not in the list.
  void Touch(const Array& array);

  // Who needs how much memory, and whether the owner has a right to it (MemoryShares).
  struct Need {
    int64_t size_bytes = 0;
    const Meter* owner = nullptr;
    bool is_right = false;
  };
  // An array to spill.
  struct Victim {
    std::shared_ptr<Array> array;
    HostMemory::Cause cause;
    // To be charged for the host memory; nullptr: an owner is not charged for arrays that must make
    // room for another's share.
    std::shared_ptr<Meter> charged;
  };

  // Returns arrays that together hold `need.size_bytes`, or as many as one call finds, but no more
  // than `host` has room for. Idle arrays are taken in the order of their last use, least recent
  // first. Queued ones are taken in the opposite order, as the last in a queue is needed last; but
  // if one call cannot inspect all arrays, successive calls inspect them in rotation. If the owner
  // has a right to the memory, arrays of owners with more than their share are taken first; if not,
  // no arrays of other owners within their share are taken.
  std::vector<Victim> Find(Victims victims, const Need& need, const MemoryShares& shares,
                           const HostMemory& host);
  // Returns how many calls of Find that find nothing inspect every array once.
  uint64_t searches_for_all() const;
  // Returns how much memory the arrays hold together.
  int64_t size_bytes() const;
  // Returns the shares of the owners as of now.
  MemoryShares Shares(int64_t share_bytes) const;

 private:
  mutable Mutex mutex_;
  std::list<Array*> arrays_ ABSL_GUARDED_BY(mutex_);  // the least recently used one first
  // The memory that the arrays of each owner hold; without owners that hold none.
  absl::flat_hash_map<const Meter*, int64_t> bytes_by_owner_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace acceld::runtime
