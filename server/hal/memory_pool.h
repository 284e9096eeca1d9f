#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "common/status.h"
#include "common/threads/mutex.h"
#include "server/hal/device.h"
#include "server/hal/free_blocks.h"

namespace acceld::hal {

// Frees and fills memory by ranges of whole pages, for sources whose large blocks consist of pages
// of the operating system. A range may be a part of a block or extend over adjacent blocks.
// Thread-safe.
class PageSource {
 public:
  virtual ~PageSource() = default;
  // Blocks of at least this capacity consist of whole pages and are freed by FreePages alone.
  virtual int64_t min_range_bytes() const = 0;
  // Frees a range of pages.
  virtual void FreePages(MemoryRange range) = 0;
  // Makes the system assign physical memory to the pages now, rather than at their first use.
  virtual void FillPages(MemoryRange range) = 0;
};

// Supplies a MemoryPool with blocks of memory, for example from the operating system or from the
// CUDA driver. Thread-safe.
class BlockSource {
 public:
  virtual ~BlockSource() = default;
  // The alignment of every block, a power of two. Capacities are multiples of it.
  virtual int64_t alignment_bytes() const = 0;
  // What frees large blocks by ranges of pages; nullptr when every block is freed as a whole.
  virtual PageSource* pages() = 0;
  // Whether host code can read and write the blocks.
  virtual bool is_host_memory() const = 0;
  // Allocates a block. Returns RESOURCE_EXHAUSTED when no memory is left. May take milliseconds.
  virtual absl::StatusOr<void*> Allocate(int64_t capacity_bytes) = 0;
  // Frees a block that does not consist of pages.
  virtual void Free(void* address) = 0;
  // Copies bytes of a block to host memory. Blocks until the copy has ended.
  virtual absl::Status Read(const void* from, void* to, int64_t size_bytes) = 0;
};

// Allocates the memory of one device within a budget. Freed memory is kept for reuse, so that a
// program that runs repeatedly does not call the source each time. Small blocks are reused by size
// class; memory in whole pages (PageSource) is reused for requests of any size.
//
// Thread-safe. Buffers share ownership of their pool. Memory in use and memory that is kept for
// reuse together never exceed the limit: kept memory is returned to the source before a request is
// refused.
class MemoryPool : public std::enable_shared_from_this<MemoryPool> {
 public:
  // `limit_bytes` is the budget. At most `max_kept_bytes` bytes of freed memory are kept for reuse.
  static std::shared_ptr<MemoryPool> Create(std::unique_ptr<BlockSource> source,
                                            int64_t limit_bytes, int64_t max_kept_bytes);
  ~MemoryPool();
  MemoryPool(const MemoryPool&) = delete;
  MemoryPool& operator=(const MemoryPool&) = delete;

  // Allocates a buffer with uninitialized contents. A buffer of zero bytes has a valid address,
  // too. Returns RESOURCE_EXHAUSTED, whose message says the size, the memory in use and the limit,
  // when the buffer does not fit, and INVALID_ARGUMENT for a negative size.
  absl::StatusOr<std::shared_ptr<Buffer>> Allocate(int64_t size_bytes);

  // Allocates `size_bytes` bytes of new pages, makes the system assign physical memory to them, and
  // keeps them for reuse, as if they had been in use and freed. Returns RESOURCE_EXHAUSTED when
  // they do not fit in addition to the memory in use and the memory that is kept, and UNIMPLEMENTED
  // when blocks of this size do not consist of pages.
  absl::Status Prepare(int64_t size_bytes);

  // Returns to the source the kept memory that was not used since the previous call.
  void ReleaseUnused();

  MemoryStats stats() const;
  // The bytes of freed memory that are kept for reuse.
  int64_t kept_bytes() const;

 private:
  class Block;
  // Kept memory that was removed from the free lists, and is to be returned to the source.
  struct ReleasedMemory {
    std::vector<void*> blocks;
    std::vector<MemoryRange> ranges;
  };

  MemoryPool(std::unique_ptr<BlockSource> source, int64_t limit_bytes, int64_t max_kept_bytes);
  // Rounds up to whole pages or, for small blocks, to the alignment.
  int64_t RoundUp(int64_t size_bytes) const;
  // Rounds up to the next size class.
  int64_t ClassCapacity(int64_t size_bytes) const;
  // Whether blocks of this capacity consist of pages.
  bool IsRange(int64_t capacity_bytes) const;
  int64_t KeptBytes() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Removes kept memory from the free lists until at most `target_bytes` bytes are kept.
  ReleasedMemory TrimKept(int64_t target_bytes) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Takes back the memory of a buffer that is destroyed.
  void Return(void* address, int64_t capacity_bytes);
  // Returns memory to the source.
  void FreeAll(const ReleasedMemory& given_up);
  // Returns all kept memory to the source.
  void ReleaseKept();

  const std::unique_ptr<BlockSource> source_;
  PageSource* const pages_;  // of the source; may be nullptr
  const int64_t limit_bytes_;
  const int64_t max_kept_bytes_;
  mutable Mutex mutex_;
  int64_t used_bytes_ ABSL_GUARDED_BY(mutex_) = 0;
  int64_t peak_bytes_ ABSL_GUARDED_BY(mutex_) = 0;
  FreeBlocks kept_blocks_ ABSL_GUARDED_BY(mutex_);
  FreeRanges kept_ranges_ ABSL_GUARDED_BY(mutex_);  // of pages
};

}  // namespace acceld::hal
