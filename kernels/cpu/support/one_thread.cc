#include "kernels/cpu/support/one_thread.h"

#include <omp.h>

#include <utility>

namespace acceld::kernels::cpu {

void KeepToOneThread() {
  thread_local bool done = false;
  if (!std::exchange(done, true)) omp_set_num_threads(1);
}

}  // namespace acceld::kernels::cpu
