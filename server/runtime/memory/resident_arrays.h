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
// Arrays take themselves off when they are destroyed. Thread-safe; its lock is held while arrays'
// own are taken, never the other way round.
class ResidentArrays {
 public:
  // Which arrays may go: those that no task reads, or those too that only queued tasks read.
  enum class Victims : uint8_t { kIdle, kQueued };
  // Arrays of fewer bytes are not followed: they are many and hold little.
  static constexpr int64_t kMinBytes = 4096;
  // Of one look for victims: nobody waits for it for long, however many there are.
  static constexpr size_t kMaxFound = 256, kMaxLooked = 8192;
  using Position = std::list<Array*>::iterator;

  // As the most recently used one.
  void Add(Array& array);
  void Remove(Array& array);
  // Says that the array has been used just now; nothing happens when it is not there.
  void Touch(const Array& array);

  // Who needs how much, and whether they have a right to it (MemoryShares).
  struct Need {
    int64_t size_bytes = 0;
    const Meter* owner = nullptr;
    bool is_right = false;
  };
  struct Victim {
    std::shared_ptr<Array> array;
    HostMemory::Cause cause;
    // For its memory on the host; nullptr: its owner does not pay for what others have a right to.
    std::shared_ptr<Meter> charged;
  };

  // Arrays that together hold `need.size_bytes`, or as many as one look finds, and no more than
  // `host` has room for. Idle ones least recently used first; queued ones the other way
  // round, for as queues go those are wanted last, but where one look does not see all of them,
  // in turns. Who has a right gets it of those first who have more than theirs; who has none gets
  // nothing of those who have no more than theirs.
  std::vector<Victim> Find(Victims victims, const Need& need, const MemoryShares& shares,
                           const HostMemory& host);
  // How many calls of Find, none of which finds anything, look at every array.
  uint64_t looks_at_all() const;
  // What the arrays hold together.
  int64_t size_bytes() const;
  // With what the arrays hold now.
  MemoryShares Shares(int64_t share_bytes) const;

 private:
  mutable Mutex mutex_;
  std::list<Array*> arrays_ ABSL_GUARDED_BY(mutex_);  // the least recently used one first
  // What these hold together, of owners that have any.
  absl::flat_hash_map<const Meter*, int64_t> bytes_by_owner_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace acceld::runtime
