#pragma once

#include <memory>

namespace acceld::kernels::cpu {

class HelperPool;
class MatmulPrimitives;
struct FftPlanCaches;

// What native code needs while it runs and keeps from run to run: the threads that help with
// parallel loops, prepared matrix products, and the plans of Fourier transforms. The devices of one
// processor share one CpuRuntime, so that they share the cores instead of each starting threads of
// its own. Thread-safe. Must outlive all runs that use it (LaunchContext::runtime).
class CpuRuntime {
 public:
  CpuRuntime();
  // Ends the threads.
  ~CpuRuntime();
  CpuRuntime(const CpuRuntime&) = delete;
  CpuRuntime& operator=(const CpuRuntime&) = delete;

  HelperPool& helpers() { return *helpers_; }
  MatmulPrimitives& matmul_primitives() { return *matmul_primitives_; }
  FftPlanCaches& fft_plans() { return *fft_plans_; }

 private:
  const std::unique_ptr<HelperPool> helpers_;
  const std::unique_ptr<MatmulPrimitives> matmul_primitives_;
  const std::unique_ptr<FftPlanCaches> fft_plans_;
};

}  // namespace acceld::kernels::cpu
