#include "kernels/cuda/emit/context/thread_group.h"

namespace acceld::kernels::cuda {

absl::string_view IfFirst(ThreadGroup group) {
  switch (group) {
    case ThreadGroup::kGrid:
      return "if (threadIdx.x + blockIdx.x == 0) ";
    case ThreadGroup::kBlock:
      return "if (threadIdx.x == 0) ";
    case ThreadGroup::kColumn:
      // The first thread of the column, unless it computes the last column again (PrintColumns).
      return "if (threadIdx.x < 32 && position == flat) ";
    case ThreadGroup::kThread:
      return "";
  }
  return "";
}

}  // namespace acceld::kernels::cuda
