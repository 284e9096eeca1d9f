#include "server/hal/free_blocks.h"

#include <algorithm>
#include <iterator>

#include "common/check.h"

namespace acceld::hal {

void* FreeBlocks::Take(int64_t size_bytes) {
  const auto it = classes_.find(size_bytes);
  if (it == classes_.end()) return nullptr;
  it->second.last_use = ++clock_;
  if (it->second.blocks.empty()) return nullptr;
  void* const block = it->second.blocks.back();
  it->second.blocks.pop_back();
  size_bytes_ -= size_bytes;
  return block;
}

void FreeBlocks::Put(void* block, int64_t size_bytes) {
  SizeClass& size_class = classes_[size_bytes];
  size_class.last_use = ++clock_;
  size_class.blocks.push_back(block);
  size_bytes_ += size_bytes;
}

void FreeBlocks::Shrink(int64_t target_bytes, std::vector<void*>& out) {
  while (size_bytes_ > target_bytes) {
    auto oldest = classes_.end();
    for (auto it = classes_.begin(); it != classes_.end(); ++it) {
      if (it->second.blocks.empty()) continue;
      if (oldest == classes_.end() || it->second.last_use < oldest->second.last_use) oldest = it;
    }
    ACCELD_CHECK(oldest != classes_.end());
    auto& [size, size_class] = *oldest;
    while (size_bytes_ > target_bytes && !size_class.blocks.empty()) {
      out.push_back(size_class.blocks.back());
      size_class.blocks.pop_back();
      size_bytes_ -= size;
    }
    if (size_class.blocks.empty()) classes_.erase(oldest);
  }
}

void FreeBlocks::TakeUnused(std::vector<void*>& out) {
  for (auto& [size, size_class] : classes_) {
    if (size_class.last_use > last_check_) continue;
    out.insert(out.end(), size_class.blocks.begin(), size_class.blocks.end());
    size_bytes_ -= size * static_cast<int64_t>(size_class.blocks.size());
    size_class.blocks.clear();
  }
  last_check_ = clock_;
}

void FreeRanges::Insert(uintptr_t address, int64_t size_bytes) {
  by_address_.emplace(address, size_bytes);
  by_size_.emplace(size_bytes, address);
}

void FreeRanges::Erase(std::map<uintptr_t, int64_t>::iterator range) {
  by_size_.erase({range->second, range->first});
  by_address_.erase(range);
}

void* FreeRanges::Take(int64_t size_bytes) {
  const auto fitting = by_size_.lower_bound({size_bytes, 0});
  if (fitting == by_size_.end()) return nullptr;
  const auto [range_bytes, address] = *fitting;
  Erase(by_address_.find(address));
  if (range_bytes > size_bytes) {
    Insert(address + static_cast<uintptr_t>(size_bytes), range_bytes - size_bytes);
  }
  size_bytes_ -= size_bytes;
  min_bytes_ = std::min(min_bytes_, size_bytes_);
  return reinterpret_cast<void*>(address);
}

void FreeRanges::Put(MemoryRange range) {
  auto address = reinterpret_cast<uintptr_t>(range.address);
  int64_t size_bytes = range.size_bytes;
  size_bytes_ += size_bytes;
  const auto after = by_address_.lower_bound(address);
  if (after != by_address_.begin()) {
    const auto before = std::prev(after);
    if (before->first + static_cast<uintptr_t>(before->second) == address) {
      address = before->first;
      size_bytes += before->second;
      Erase(before);
    }
  }
  if (after != by_address_.end() && address + static_cast<uintptr_t>(size_bytes) == after->first) {
    size_bytes += after->second;
    Erase(after);
  }
  Insert(address, size_bytes);
}

void FreeRanges::Shrink(int64_t target_bytes, std::vector<MemoryRange>& out) {
  while (size_bytes_ > target_bytes) {
    const auto highest = std::prev(by_address_.end());
    const auto [address, range_bytes] = *highest;
    const int64_t units = (size_bytes_ - target_bytes + unit_bytes_ - 1) / unit_bytes_;
    const int64_t taken = std::min(range_bytes, units * unit_bytes_);
    const int64_t rest = range_bytes - taken;
    Erase(highest);
    if (rest > 0) Insert(address, rest);
    out.push_back({reinterpret_cast<void*>(address + static_cast<uintptr_t>(rest)), taken});
    size_bytes_ -= taken;
  }
  min_bytes_ = std::min(min_bytes_, size_bytes_);
}

void FreeRanges::TakeUnused(std::vector<MemoryRange>& out) {
  Shrink(size_bytes_ - min_bytes_, out);
  min_bytes_ = size_bytes_;
}

}  // namespace acceld::hal
