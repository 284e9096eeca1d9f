#include "kernels/cpu/cpu_runtime.h"

#include "kernels/cpu/support/helper_pool.h"
#include "kernels/cpu/support/matmul/matmul_primitives.h"
#include "kernels/cpu/support/routines/fft/fft_plan_caches.h"

namespace acceld::kernels::cpu {

CpuRuntime::CpuRuntime()
    : helpers_(std::make_unique<HelperPool>()),
      matmul_primitives_(std::make_unique<MatmulPrimitives>()),
      fft_plans_(std::make_unique<FftPlanCaches>()) {}

CpuRuntime::~CpuRuntime() = default;

}  // namespace acceld::kernels::cpu
