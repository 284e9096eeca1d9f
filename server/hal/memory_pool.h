#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "common/status.h"
#include "common/threads/mutex.h"
#include "server/hal/device.h"
#include "server/hal/free_blocks.h"

namespace acceld::hal {

// Where a MemoryPool gets memory from. Thread-safe.
class BlockSource {
 public:
  virtual ~BlockSource() = default;
  // Of every block; capacities are multiples. A power of two.
  virtual int64_t alignment_bytes() const = 0;
  // From this capacity on, blocks are pages of which any may be freed, with or without those of
  // blocks beside them. Never, unless a source says so.
  virtual int64_t min_range_bytes() const { return INT64_MAX; }
  // Whether host code can read and write the blocks.
  virtual bool is_host_memory() const = 0;
  // RESOURCE_EXHAUSTED when there is no more. May take milliseconds.
  virtual absl::StatusOr<void*> Allocate(int64_t capacity_bytes) = 0;
  // A block of less than min_range_bytes().
  virtual void Free(void* address) = 0;
  // Pages of others.
  virtual void FreePages(MemoryRange /*range*/) {}
  // Has the system find memory for pages now, which else is done at their first use.
  virtual void FillPages(MemoryRange /*range*/) {}
  // Copies bytes of a block to host memory; blocks.
  virtual absl::Status Read(const void* from, void* to, int64_t size_bytes) = 0;
};

// Memory of a device under a budget. Freed blocks are kept, so that steps of the same shapes go
// round without calling the source: by size class, or where a source has ranges of pages, as pages
// that serve whatever size comes next.
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

  // Keeps `size_bytes` more, of new pages that are there already, as though they had been in use.
  // RESOURCE_EXHAUSTED: they do not fit beside what is in use and kept. UNIMPLEMENTED: the source
  // has no pages.
  absl::Status Prepare(int64_t size_bytes);

  // Gives back the freed memory that nobody has had use for since the call before.
  void ReleaseUnused();

  MemoryStats stats() const;
  // Bytes of freed blocks that wait for reuse.
  int64_t kept_bytes() const;

 private:
  class Block;
  struct GivenUp {
    std::vector<void*> blocks;
    std::vector<MemoryRange> ranges;
  };

  MemoryPool(std::unique_ptr<BlockSource> source, int64_t limit_bytes, int64_t max_kept_bytes);
  int64_t RoundUp(int64_t size_bytes) const;
  int64_t ClassCapacity(int64_t size_bytes) const;
  bool IsRange(int64_t capacity_bytes) const;
  int64_t KeptBytes() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Takes kept memory out until at most `target_bytes` are kept.
  GivenUp ShrinkKept(int64_t target_bytes) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Return(void* address, int64_t capacity_bytes);
  void FreeAll(const GivenUp& given_up);
  void GiveUpKept();

  const std::unique_ptr<BlockSource> source_;
  const int64_t limit_bytes_;
  const int64_t max_kept_bytes_;
  mutable Mutex mutex_;
  int64_t used_bytes_ ABSL_GUARDED_BY(mutex_) = 0;
  int64_t peak_bytes_ ABSL_GUARDED_BY(mutex_) = 0;
  FreeBlocks kept_blocks_ ABSL_GUARDED_BY(mutex_);
  FreeRanges kept_ranges_ ABSL_GUARDED_BY(mutex_);  // of pages
};

}  // namespace acceld::hal
