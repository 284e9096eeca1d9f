#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "common/mutex.h"
#include "common/status.h"
#include "server/hal/device.h"

namespace acceld::hal::cpu {

// Host memory under a budget, in blocks aligned for vector code. Freed blocks are kept by size
// class, so that steps of the same shapes go round without calling the allocator or faulting pages.
//
// Thread-safe. Buffers keep their pool alive. Memory in use and memory kept for reuse together
// never exceed the limit: kept blocks are given back to the system before a request is refused.
class MemoryPool : public std::enable_shared_from_this<MemoryPool> {
 public:
  // At most `max_kept_bytes` of freed blocks wait for reuse.
  static std::shared_ptr<MemoryPool> Create(int64_t limit_bytes, int64_t max_kept_bytes);
  ~MemoryPool();
  MemoryPool(const MemoryPool&) = delete;
  MemoryPool& operator=(const MemoryPool&) = delete;

  // Contents are undefined. Zero bytes give a valid address. RESOURCE_EXHAUSTED names size, use and
  // limit; INVALID_ARGUMENT for a negative size.
  absl::StatusOr<std::shared_ptr<Buffer>> Allocate(int64_t size_bytes);

  // Gives back the freed blocks of sizes that nobody has had use for since the call before.
  void ReleaseUnused();

  MemoryStats stats() const;
  // Bytes of freed blocks that wait for reuse.
  int64_t kept_bytes() const;

 private:
  class Block;
  struct SizeClass {
    std::vector<void*> free_blocks;
    uint64_t last_use = 0;  // value of clock_
  };

  MemoryPool(int64_t limit_bytes, int64_t max_kept_bytes);
  void Return(void* address, int64_t capacity_bytes);
  // Takes kept blocks out, least recently used size first, until at most `target_bytes` are kept.
  void TakeKept(int64_t target_bytes, std::vector<void*>& out)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const int64_t limit_bytes_;
  const int64_t max_kept_bytes_;
  mutable Mutex mutex_;
  int64_t used_bytes_ ABSL_GUARDED_BY(mutex_) = 0;
  int64_t peak_bytes_ ABSL_GUARDED_BY(mutex_) = 0;
  int64_t kept_bytes_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t clock_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t released_at_ ABSL_GUARDED_BY(mutex_) = 0;  // clock_ at the last ReleaseUnused
  absl::flat_hash_map<int64_t, SizeClass> classes_ ABSL_GUARDED_BY(mutex_);  // by capacity
};

}  // namespace acceld::hal::cpu
