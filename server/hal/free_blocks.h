#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"

namespace acceld::hal {

// A range of memory: an allocated block, a part of one, or adjacent parts of several blocks.
struct MemoryRange {
  void* address = nullptr;
  int64_t size_bytes = 0;
};

// A free list of memory blocks by size: a freed block is reused only for requests of exactly its
// size. The list does not free memory itself. Thread-compatible.
class FreeBlocks {
 public:
  // Removes a block of exactly this size from the list and returns it; nullptr if there is none.
  void* Take(int64_t size_bytes);
  // Adds a freed block.
  void Put(void* block, int64_t size_bytes);
  // The total size of all blocks in the list.
  int64_t size_bytes() const { return size_bytes_; }

  // Removes blocks, those of the least recently used size first, until at most `target_bytes` bytes
  // remain. Appends the removed blocks to `out`.
  void Shrink(int64_t target_bytes, std::vector<void*>& out);
  // Removes all blocks of the sizes that were neither requested nor freed since the previous call.
  // Appends the removed blocks to `out`.
  void TakeUnused(std::vector<void*>& out);

 private:
  struct SizeClass {
    std::vector<void*> blocks;
    uint64_t last_use = 0;  // value of clock_
  };

  int64_t size_bytes_ = 0;
  uint64_t clock_ = 0;       // logical time, which each use advances
  uint64_t last_check_ = 0;  // clock_ at the last TakeUnused
  absl::flat_hash_map<int64_t, SizeClass> classes_;
};

// A free list of memory ranges that can be split at multiples of a unit, and that are merged when
// they are adjacent, so that freed memory is reused for requests of any size. All addresses and
// sizes are multiples of the unit. The list does not free memory itself. Thread-compatible.
//
// A request is served from the smallest range that is large enough, so that large ranges stay
// whole. Shrink removes the ranges at the highest addresses first, so that the memory in use
// gathers at low addresses.
class FreeRanges {
 public:
  explicit FreeRanges(int64_t unit_bytes) : unit_bytes_(unit_bytes) {}

  // Removes `size_bytes` bytes from the list and returns their address; nullptr if no range is
  // large enough.
  void* Take(int64_t size_bytes);
  // Adds a freed range.
  void Put(MemoryRange range);
  // The total size of all ranges in the list.
  int64_t size_bytes() const { return size_bytes_; }

  // Removes ranges, or the ends of ranges in whole units, until at most `target_bytes` bytes
  // remain. Appends the removed ranges to `out`.
  void Shrink(int64_t target_bytes, std::vector<MemoryRange>& out);
  // Removes as many bytes as were free during all of the time since the previous call. Appends the
  // removed ranges to `out`.
  void TakeUnused(std::vector<MemoryRange>& out);

 private:
  void Insert(uintptr_t address, int64_t size_bytes);
  void Erase(std::map<uintptr_t, int64_t>::iterator range);

  const int64_t unit_bytes_;
  int64_t size_bytes_ = 0;
  int64_t min_bytes_ = 0;  // the minimum of size_bytes_ since the last TakeUnused
  std::map<uintptr_t, int64_t> by_address_;
  std::set<std::pair<int64_t, uintptr_t>> by_size_;
};

}  // namespace acceld::hal
