#include "tests/support/counted_heap.h"

#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>

namespace acceld::testing {
namespace {

std::atomic<int64_t> live_bytes{0};
std::atomic<int64_t> peak_bytes{0};
// Sanitizers end a program that asks for more than a tebibyte.
std::atomic<int64_t> limit_bytes{int64_t{1} << 39};

// Of FailingHeap; plain values, since making them must not allocate.
thread_local bool is_failing = false;
thread_local bool has_failed = false;
thread_local int64_t succeeding_left = 0;

bool Fails(size_t size) {
  const int64_t limit = limit_bytes.load(std::memory_order_relaxed);
  if (size > static_cast<uint64_t>(limit) ||
      live_bytes.load(std::memory_order_relaxed) > limit - static_cast<int64_t>(size)) {
    return true;
  }
  if (!is_failing || has_failed) return false;
  if (succeeding_left-- > 0) return false;
  has_failed = true;
  return true;
}

void* Counted(void* memory) {
  const int64_t live = live_bytes += static_cast<int64_t>(malloc_usable_size(memory));
  int64_t peak = peak_bytes.load(std::memory_order_relaxed);
  while (live > peak && !peak_bytes.compare_exchange_weak(peak, live)) {
  }
  return memory;
}

}  // namespace

// As the standard has it: a handler, if there is one, may make room for another attempt.
void* Allocate(size_t size, size_t alignment) {
  const size_t rounded = (size + alignment) / alignment * alignment;
  while (true) {
    if (!Fails(size)) {
      if (void* const memory = std::aligned_alloc(alignment, rounded)) return Counted(memory);
    }
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) throw std::bad_alloc();
    handler();
  }
}

void* AllocateOrNull(size_t size, size_t alignment) noexcept {
  try {
    return Allocate(size, alignment);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

void Free(void* memory) noexcept {
  if (memory == nullptr) return;
  live_bytes -= static_cast<int64_t>(malloc_usable_size(memory));
  std::free(memory);
}

int64_t HeapBytes() { return live_bytes; }
int64_t PeakHeapBytes() { return peak_bytes; }
void ResetPeak() { peak_bytes = live_bytes.load(); }
void SetHeapLimit(int64_t bytes) { limit_bytes = bytes; }

FailingHeap::FailingHeap(int64_t succeeding) {
  succeeding_left = succeeding;
  has_failed = false;
  is_failing = true;
}
FailingHeap::~FailingHeap() { is_failing = false; }
bool FailingHeap::HasFailed() const { return has_failed; }

}  // namespace acceld::testing

void* operator new(size_t size) {
  return acceld::testing::Allocate(size, __STDCPP_DEFAULT_NEW_ALIGNMENT__);
}
void* operator new[](size_t size) {
  return acceld::testing::Allocate(size, __STDCPP_DEFAULT_NEW_ALIGNMENT__);
}
void* operator new(size_t size, std::align_val_t alignment) {
  return acceld::testing::Allocate(size, static_cast<size_t>(alignment));
}
void* operator new[](size_t size, std::align_val_t alignment) {
  return acceld::testing::Allocate(size, static_cast<size_t>(alignment));
}
void* operator new(size_t size, const std::nothrow_t&) noexcept {
  return acceld::testing::AllocateOrNull(size, __STDCPP_DEFAULT_NEW_ALIGNMENT__);
}
void* operator new[](size_t size, const std::nothrow_t&) noexcept {
  return acceld::testing::AllocateOrNull(size, __STDCPP_DEFAULT_NEW_ALIGNMENT__);
}
void* operator new(size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return acceld::testing::AllocateOrNull(size, static_cast<size_t>(alignment));
}
void* operator new[](size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return acceld::testing::AllocateOrNull(size, static_cast<size_t>(alignment));
}
void operator delete(void* memory) noexcept { acceld::testing::Free(memory); }
void operator delete[](void* memory) noexcept { acceld::testing::Free(memory); }
void operator delete(void* memory, size_t) noexcept { acceld::testing::Free(memory); }
void operator delete[](void* memory, size_t) noexcept { acceld::testing::Free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { acceld::testing::Free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { acceld::testing::Free(memory); }
void operator delete(void* memory, size_t, std::align_val_t) noexcept {
  acceld::testing::Free(memory);
}
void operator delete[](void* memory, size_t, std::align_val_t) noexcept {
  acceld::testing::Free(memory);
}
