#include "kernels/cpu/support/matmul/warm_up.h"

#include <oneapi/dnnl/dnnl.h>

#include "kernels/cpu/support/openmp_threads.h"

namespace acceld::kernels::cpu {

void WarmUpMatmuls() {
  constexpr int kSize = 16;
  DisableOpenMpThreads();
  static const dnnl_status_t status = [] {
    const float in[kSize * kSize] = {};
    float out[kSize * kSize];
    return dnnl_sgemm('N', 'N', kSize, kSize, kSize, 1, in, kSize, in, kSize, 0, out, kSize);
  }();
  (void)status;  // A failure is not reported: programs that need products will report it.
}

}  // namespace acceld::kernels::cpu
