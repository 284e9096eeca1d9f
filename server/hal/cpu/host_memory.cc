#include "server/hal/cpu/host_memory.h"

#include <sys/mman.h>

#include <cstdlib>
#include <cstring>

#include "kernels/ir/plan.h"

namespace acceld::hal::cpu {
namespace {

// Blocks from this size on are aligned to huge pages and ask for them.
constexpr int64_t kHugePage = int64_t{2} << 20;

class HostMemory final : public BlockSource {
 public:
  int64_t alignment_bytes() const override { return kernels::kBufferAlignment; }
  bool is_host_memory() const override { return true; }

  absl::StatusOr<void*> Allocate(int64_t capacity_bytes) override {
    const bool huge = capacity_bytes >= kHugePage;
    const auto alignment = static_cast<size_t>(huge ? kHugePage : kernels::kBufferAlignment);
    const size_t size =
        (static_cast<size_t>(capacity_bytes) + alignment - 1) / alignment * alignment;
    void* const address = std::aligned_alloc(alignment, size);
    if (address == nullptr) return absl::ResourceExhaustedError("out of memory");
    // Only advice: without huge pages the memory works as well, with more page faults.
    if (huge) madvise(address, size, MADV_HUGEPAGE);
    return address;
  }

  void Free(void* address) override { std::free(address); }

  absl::Status Read(const void* from, void* to, int64_t size_bytes) override {
    std::memcpy(to, from, static_cast<size_t>(size_bytes));
    return absl::OkStatus();
  }
};

}  // namespace

std::shared_ptr<MemoryPool> CreateHostMemoryPool(int64_t limit_bytes, int64_t max_kept_bytes) {
  return MemoryPool::Create(std::make_unique<HostMemory>(), limit_bytes, max_kept_bytes);
}

}  // namespace acceld::hal::cpu
