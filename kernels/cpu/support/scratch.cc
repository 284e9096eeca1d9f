#include "kernels/cpu/support/scratch.h"

#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "common/ceil_divide.h"
#include "kernels/cpu/run_state.h"
#include "kernels/ir/plan.h"

namespace acceld::kernels::cpu {

void* AllocateScratch(const LaunchContext* context, int64_t bytes) {
  const int64_t rounded = RoundUp(bytes, kBufferAlignment);
  void* memory = std::aligned_alloc(kBufferAlignment, rounded);
  if (memory == nullptr) {
    RunState::Of(context).Fail(
        absl::ResourceExhaustedError(absl::StrCat("no memory for ", bytes, " bytes of scratch")));
  }
  return memory;
}

void ReleaseScratch(void* memory) { std::free(memory); }

}  // namespace acceld::kernels::cpu
