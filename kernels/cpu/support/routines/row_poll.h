#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/cpu/support/routines/routine_run.h"

namespace acceld::kernels::cpu {

// Polls in a loop over the rows of a matrix, about once in 64 Ki elements.
class RowPoll {
 public:
  // `elements` is the number of elements whose processing takes about as long as the work on a row.
  RowPoll(const RoutineRun& run, int64_t elements)
      : run_(run), rows_(std::max<int64_t>(1, kPolledElements / elements)) {}

  // To be called before the work on each row. Returns CANCELLED if the run has to end.
  absl::Status At(int64_t row) const { return row % rows_ == 0 ? run_.Poll() : absl::OkStatus(); }

 private:
  static constexpr int64_t kPolledElements = int64_t{1} << 16;

  const RoutineRun& run_;
  const int64_t rows_;
};

}  // namespace acceld::kernels::cpu
