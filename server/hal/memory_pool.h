#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "common/mutex.h"
#include "common/status.h"
#include "server/hal/device.h"

namespace acceld::hal {

// Where a MemoryPool gets memory from. Thread-safe.
class BlockSource {
 public:
  virtual ~BlockSource() = default;
  // Of every block; capacities are multiples. A power of two.
  virtual int64_t alignment_bytes() const = 0;
  // Whether host code can read and write the blocks.
  virtual bool is_host_memory() const = 0;
  // RESOURCE_EXHAUSTED when there is no more. May take milliseconds.
  virtual absl::StatusOr<void*> Allocate(int64_t capacity_bytes) = 0;
  virtual void Free(void* address) = 0;
  // Copies bytes of a block to host memory; blocks.
  virtual absl::Status Read(const void* from, void* to, int64_t size_bytes) = 0;
};

// Memory of a device under a budget. Freed blocks are kept by size class, so that steps of the same
// shapes go round without calling the source.
//
// Thread-safe. Buffers keep their pool alive. Memory in use and memory kept for reuse together
// never exceed the limit: kept blocks are given back to the source before a request is refused.
class MemoryPool : public std::enable_shared_from_this<MemoryPool> {
 public:
  // At most `max_kept_bytes` of freed blocks wait for reuse.
  static std::shared_ptr<MemoryPool> Create(std::unique_ptr<BlockSource> source,
                                            int64_t limit_bytes, int64_t max_kept_bytes);
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

  MemoryPool(std::unique_ptr<BlockSource> source, int64_t limit_bytes, int64_t max_kept_bytes);
  int64_t RoundUp(int64_t size_bytes) const;
  int64_t ClassCapacity(int64_t size_bytes) const;
  void Return(void* address, int64_t capacity_bytes);
  // Takes kept blocks out, least recently used size first, until at most `target_bytes` are kept.
  void TakeKept(int64_t target_bytes, std::vector<void*>& out)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void FreeAll(const std::vector<void*>& blocks);
  void GiveUpKept();

  const std::unique_ptr<BlockSource> source_;
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

}  // namespace acceld::hal
