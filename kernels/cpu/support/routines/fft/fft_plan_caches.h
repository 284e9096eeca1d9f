#pragma once

#include <tuple>

#include "kernels/cpu/support/routines/fft/fft_plan.h"
#include "kernels/cpu/support/routines/fft/fft_table.h"
#include "kernels/cpu/support/routines/fft/four_step_fft_plan.h"

namespace acceld::kernels::cpu {

// A cache for each type of Fourier plan. Thread-safe, as each cache is.
struct FftPlanCaches {
  template <typename Plan>
  FftTable<Plan>& Of() {
    return std::get<FftTable<Plan>>(tables);
  }

  std::tuple<FftTable<FftPlan<float>>, FftTable<FftPlan<double>>, FftTable<FourStepFftPlan<float>>,
             FftTable<FourStepFftPlan<double>>>
      tables;
};

}  // namespace acceld::kernels::cpu
