#include "server/hal/cpu/host_memory.h"

#include <sys/mman.h>

#include <atomic>
#include <cstdlib>
#include <cstring>

#include "kernels/ir/plan.h"

namespace acceld::hal::cpu {
namespace {

// Blocks of at least this size consist of whole pages, which are huge pages where the system
// provides them.
constexpr int64_t kHugePage = int64_t{2} << 20;
constexpr int64_t kSmallPage = 4096;

class HostMemory final : public BlockSource, private PageSource {
 public:
  int64_t alignment_bytes() const override { return kernels::kBufferAlignment; }
  PageSource* pages() override { return this; }
  bool is_host_memory() const override { return true; }

  absl::StatusOr<void*> Allocate(int64_t capacity_bytes) override {
    const auto size = static_cast<size_t>(capacity_bytes);
    void* const address = capacity_bytes < kHugePage
                              ? std::aligned_alloc(kernels::kBufferAlignment, size)
                              : AllocatePages(size);
    if (address == nullptr) return absl::ResourceExhaustedError("out of memory");
    return address;
  }

  void Free(void* address) override { std::free(address); }

  absl::Status Read(const void* from, void* to, int64_t size_bytes) override {
    std::memcpy(to, from, static_cast<size_t>(size_bytes));
    return absl::OkStatus();
  }

 private:
  int64_t min_range_bytes() const override { return kHugePage; }

  void FreePages(MemoryRange range) override {
    const auto size = static_cast<size_t>(range.size_bytes);
    // munmap fails when it would have to split a mapping and the process has too many mappings.
    // Then only the memory is returned to the system; the addresses stay mapped.
    if (munmap(range.address, size) != 0) madvise(range.address, size, MADV_DONTNEED);
  }

  void FillPages(MemoryRange range) override {
    auto* const bytes = static_cast<volatile char*>(range.address);
    for (int64_t i = 0; i < range.size_bytes; i += kSmallPage) bytes[i] = 0;
  }

  // Maps pages directly below the previous allocation if these addresses are free, because adjacent
  // ranges can share huge pages and can be merged when they are free. Otherwise maps pages at a
  // multiple of the huge page size.
  void* AllocatePages(size_t size) {
    const uintptr_t end = lowest_.load();
    void* const below = end > size ? reinterpret_cast<void*>(end - size) : nullptr;
    void* address = Map(below, size);
    if (address != nullptr && address != below) {
      munmap(address, size);
      address = MapAligned(size);
    }
    if (address == nullptr) return nullptr;
    lowest_.store(reinterpret_cast<uintptr_t>(address));
    // Only advice: without huge pages the memory works as well, with more page faults.
    madvise(address, size, MADV_HUGEPAGE);
    return address;
  }

  static void* Map(void* hint, size_t size) {
    void* const address =
        mmap(hint, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return address == MAP_FAILED ? nullptr : address;
  }

  static void* MapAligned(size_t size) {
    auto* const mapped = static_cast<char*>(Map(nullptr, size + kHugePage));
    if (mapped == nullptr) return nullptr;
    const size_t before = -reinterpret_cast<uintptr_t>(mapped) % kHugePage;
    if (before > 0) munmap(mapped, before);
    munmap(mapped + before + size, kHugePage - before);
    return mapped + before;
  }

  std::atomic<uintptr_t> lowest_{0};
};

}  // namespace

std::shared_ptr<MemoryPool> CreateHostMemoryPool(int64_t limit_bytes, int64_t max_kept_bytes) {
  return MemoryPool::Create(std::make_unique<HostMemory>(), limit_bytes, max_kept_bytes);
}

}  // namespace acceld::hal::cpu
