#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"

namespace acceld::hal {

// Memory that was allocated as a block or as parts of some.
struct MemoryRange {
  void* address = nullptr;
  int64_t size_bytes = 0;
};

// Freed blocks of a few sizes, which are used again as they are. Thread-compatible.
class FreeBlocks {
 public:
  // Null if there is none of this size.
  void* Take(int64_t size_bytes);
  void Put(void* block, int64_t size_bytes);
  int64_t size_bytes() const { return size_bytes_; }

  // Takes blocks out, those of the least recently used size first, until at most `target_bytes` are
  // there.
  void Shrink(int64_t target_bytes, std::vector<void*>& out);
  // Takes out all blocks of sizes that had no use since the call before.
  void TakeUnused(std::vector<void*>& out);

 private:
  struct SizeClass {
    std::vector<void*> blocks;
    uint64_t last_use = 0;  // value of clock_
  };

  int64_t size_bytes_ = 0;
  uint64_t clock_ = 0;
  uint64_t looked_at_ = 0;  // clock_ at the last TakeUnused
  absl::flat_hash_map<int64_t, SizeClass> classes_;
};

// Freed blocks that may be cut between any two units of them and, side by side, joined: whatever
// size they had, they are used for every other. Addresses and sizes are multiples of the unit.
// Thread-compatible.
//
// The smallest range that is large enough serves, so that large ones stay whole; and the highest
// addresses are given back first, so that what is used gathers at the low end.
class FreeRanges {
 public:
  explicit FreeRanges(int64_t unit_bytes) : unit_bytes_(unit_bytes) {}

  // Null if no range is large enough.
  void* Take(int64_t size_bytes);
  void Put(MemoryRange range);
  int64_t size_bytes() const { return size_bytes_; }

  // Takes ranges or their ends, in whole units, out until at most `target_bytes` are there.
  void Shrink(int64_t target_bytes, std::vector<MemoryRange>& out);
  // Takes out as much as was free all the time since the call before.
  void TakeUnused(std::vector<MemoryRange>& out);

 private:
  void Insert(uintptr_t address, int64_t size_bytes);
  void Erase(std::map<uintptr_t, int64_t>::iterator range);

  const int64_t unit_bytes_;
  int64_t size_bytes_ = 0;
  int64_t least_bytes_ = 0;  // of size_bytes_ since the last TakeUnused
  std::map<uintptr_t, int64_t> by_address_;
  std::set<std::pair<int64_t, uintptr_t>> by_size_;
};

}  // namespace acceld::hal
