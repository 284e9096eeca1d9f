#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <vector>

#include "common/mutex.h"

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
  using Position = std::list<Array*>::iterator;

  // As the most recently used one.
  void Add(Array& array);
  void Remove(Array& array);
  // Says that the array has been used just now; nothing happens when it is not there.
  void Touch(const Array& array);

  // Arrays that together hold `size_bytes`, or all that there are, and no more than `room_bytes`.
  // Idle ones least recently used first; queued ones the other way round, for as queues go those
  // are wanted last.
  std::vector<std::shared_ptr<Array>> Find(Victims victims, int64_t size_bytes, int64_t room_bytes);
  // What idle arrays hold together.
  int64_t idle_bytes() const;

 private:
  mutable Mutex mutex_;
  std::list<Array*> arrays_ ABSL_GUARDED_BY(mutex_);  // the least recently used one first
};

}  // namespace acceld::runtime
