#include "server/hal/cuda/host_workspace.h"

#include <unistd.h>

#include "absl/strings/str_cat.h"
#include "kernels/ir/plan.h"

namespace acceld::hal::cuda {

HostWorkspaceBudget::HostWorkspaceBudget()
    : HostWorkspaceBudget(static_cast<int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE) /
                          4) {}

absl::StatusOr<char*> HostWorkspace::Add(int64_t size_bytes) {
  constexpr size_t kAlignment = kernels::kBufferAlignment;
  const size_t block_bytes = (static_cast<size_t>(size_bytes) / kAlignment + 1) * kAlignment;
  const auto taken = static_cast<int64_t>(block_bytes);
  used_bytes_ += taken;
  const bool fits = budget_.used_bytes_.fetch_add(taken) + taken <= budget_.max_bytes();
  auto* const memory =
      fits ? static_cast<char*>(std::aligned_alloc(kAlignment, block_bytes)) : nullptr;
  if (memory == nullptr) {
    return absl::ResourceExhaustedError(absl::StrCat("host memory: ", size_bytes,
                                                     " bytes for a routine do not fit into ",
                                                     budget_.max_bytes(), " for all of them"));
  }
  blocks_.emplace_back(memory, &std::free);
  return memory;
}

}  // namespace acceld::hal::cuda
