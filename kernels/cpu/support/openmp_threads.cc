#include "kernels/cpu/support/openmp_threads.h"

#include <omp.h>

#include <utility>

namespace acceld::kernels::cpu {

void DisableOpenMpThreads() {
  thread_local bool done = false;
  if (!std::exchange(done, true)) omp_set_num_threads(1);
}

}  // namespace acceld::kernels::cpu
