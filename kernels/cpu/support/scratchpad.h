#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <utility>

#include "common/ceil_divide.h"
#include "kernels/ir/plan.h"

namespace acceld::kernels::cpu {

// A block of working memory that a thread keeps from call to call, and that grows as needed. Not
// thread-safe: usually a thread_local variable.
class Scratchpad {
 public:
  Scratchpad() = default;
  Scratchpad(const Scratchpad&) = delete;
  Scratchpad& operator=(const Scratchpad&) = delete;
  ~Scratchpad() { std::free(bytes_); }

  // Returns at least `size` bytes, aligned to kBufferAlignment, with undefined contents.
  // Invalidates what earlier calls returned. Returns null when memory runs out.
  void* Reserve(size_t size) {
    if (size <= size_) return bytes_;
    std::free(bytes_);
    // Large blocks use huge pages, which the system provides and clears in fewer steps.
    const size_t alignment = size < kLargePage ? size_t{kBufferAlignment} : kLargePage;
    const size_t rounded = RoundUp(size, alignment);
    bytes_ = std::aligned_alloc(alignment, rounded);
    size_ = bytes_ == nullptr ? 0 : rounded;
    if (bytes_ != nullptr && alignment == kLargePage) madvise(bytes_, rounded, MADV_HUGEPAGE);
    return bytes_;
  }

  // Frees the block if it is larger than a thread should keep (64 MiB).
  void Trim() {
    if (size_ <= kMaxKeptBytes) return;
    std::free(std::exchange(bytes_, nullptr));
    size_ = 0;
  }

 private:
  static constexpr size_t kMaxKeptBytes = size_t{64} << 20;
  static constexpr size_t kLargePage = size_t{2} << 20;

  void* bytes_ = nullptr;
  size_t size_ = 0;
};

// Reserves `count` uninitialized elements of T. Throws std::bad_alloc when memory runs out.
template <typename T>
T* ReserveElements(Scratchpad& scratchpad, int64_t count) {
  const auto wanted = static_cast<size_t>(std::max<int64_t>(count, 1)) * sizeof(T);
  void* const memory = scratchpad.Reserve(wanted);
  if (memory == nullptr) throw std::bad_alloc();
  return static_cast<T*>(memory);
}

}  // namespace acceld::kernels::cpu
