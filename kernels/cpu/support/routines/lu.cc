#include <algorithm>

#include "kernels/cpu/support/routines/lapack.h"
#include "kernels/cpu/support/routines/spread_nan.h"

namespace acceld::kernels::cpu {

absl::Status RunLu(const RoutineRun& run) {
  const auto m = static_cast<lapack::Int>(run.operands[0].rows);
  const auto n = static_cast<lapack::Int>(run.operands[0].columns);
  const double work = static_cast<double>(m) * n * (1 + std::min(m, n));
  return ForElementType(run.dtype(), [&](auto zero) {
    return run.ForEach(run.batch(), work, [&](int64_t i) -> absl::Status {
      std::vector<decltype(zero)> a = LoadMatrix<decltype(zero)>(run.operands[0], i);
      *Integers(run.results[2], i) = lapack::Getrf(m, n, a.data(), Integers(run.results[1], i));
      SpreadNanFromStep(m, n, FirstNan(a.data(), std::min(m, n), m + 1), /*own_row=*/false,
                        a.data());
      StoreColumns(a.data(), run.results[0], i);
      return absl::OkStatus();
    });
  });
}

}  // namespace acceld::kernels::cpu
