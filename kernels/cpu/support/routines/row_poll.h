#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/cpu/support/routines/routine_run.h"

namespace acceld::kernels::cpu {

// Polls for a loop over the rows of a matrix: once in about 64 Ki elements.
class RowPoll {
 public:
  // Each row takes about as long as so many elements.
  RowPoll(const RoutineRun& run, int64_t elements)
      : run_(run), rows_(std::max<int64_t>(1, kPolledElements / elements)) {}

  // CANCELLED when the run is to end; before the work on each row.
  absl::Status At(int64_t row) const { return row % rows_ == 0 ? run_.Poll() : absl::OkStatus(); }

 private:
  static constexpr int64_t kPolledElements = int64_t{1} << 16;

  const RoutineRun& run_;
  const int64_t rows_;
};

}  // namespace acceld::kernels::cpu
