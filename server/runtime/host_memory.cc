#include "server/runtime/host_memory.h"

#include <new>

#include "absl/strings/str_cat.h"

namespace acceld::runtime {

std::shared_ptr<HostMemory> HostMemory::Create(int64_t limit_bytes) {
  return std::shared_ptr<HostMemory>(new HostMemory(limit_bytes));
}

absl::StatusOr<std::shared_ptr<HostMemory::Block>> HostMemory::Allocate(int64_t size_bytes) {
  const int64_t before = used_bytes_.fetch_add(size_bytes, std::memory_order_relaxed);
  absl::Status refused;
  std::unique_ptr<char[]> bytes;
  if (size_bytes > limit_bytes_ - before) {
    refused = absl::ResourceExhaustedError(absl::StrCat("host memory: ", size_bytes,
                                                        " bytes do not fit, ", before, " of ",
                                                        limit_bytes_, " are in use"));
  } else {
    bytes.reset(new (std::nothrow) char[static_cast<size_t>(size_bytes)]);
    if (bytes == nullptr) {
      refused = absl::ResourceExhaustedError(
          absl::StrCat("host memory: the system refuses ", size_bytes, " bytes"));
    }
  }
  if (!refused.ok()) {
    used_bytes_.fetch_sub(size_bytes, std::memory_order_relaxed);
    return refused;
  }
  return std::make_shared<Block>(shared_from_this(), std::move(bytes), size_bytes);
}

}  // namespace acceld::runtime
