#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/cpu/support/routines/routine_run.h"

namespace acceld::kernels::cpu {

// A plan that computes a long transform by transforms of the columns and rows of a matrix. x is
// regarded as a row-major matrix of rows x columns elements. The columns are transformed, then
// element (k, j) is multiplied by exp(-2 pi i k j / length), then the rows are transformed. Element
// (k, m) is then result m * rows + k. Immutable and thread-safe. For lengths that have no prime
// factor beyond 13.
template <typename T>
class FourStepFftPlan {
 public:
  // Find returns a plan for `length` from a small process-wide table, or makes it; Make always
  // makes one. Both return CANCELLED if the run has to end, and throw std::bad_alloc when memory
  // runs out.
  static absl::StatusOr<std::shared_ptr<const FourStepFftPlan>> Find(const RoutineRun& run,
                                                                     int64_t length);
  static absl::StatusOr<std::shared_ptr<const FourStepFftPlan>> Make(const RoutineRun& run,
                                                                     int64_t length);

  // The size of the matrix: length = rows * columns. Both are about the same, if the length has
  // such divisors.
  int64_t rows() const { return rows_; }
  int64_t columns() const { return columns_; }
  // Multiplies a tile, the kFftLanes<T> columns from group * kFftLanes<T> on with all their rows,
  // by the factors exp(-2 pi i k j / length), or by their conjugates for the inverse. Values after
  // the matrix's last column become meaningless.
  void ApplyTwiddles(int64_t group, bool inverse, T* re, T* im) const;

  // The number of elements in the plan's tables, for FftTable.
  int64_t table_elements() const { return static_cast<int64_t>(firsts_.size() + lanes_.size()); }

 private:
  explicit FourStepFftPlan(int64_t length);

  absl::Status FillTables(const RoutineRun& run);

  int64_t rows_, columns_;
  // The factor of an element is a product. `firsts_` has the factor of the first column of the
  // element's group: re, im for each group and row. `lanes_` has the factor for the distance from
  // that column: for each row the real parts and then the imaginary parts for all lanes.
  std::vector<T> firsts_;
  std::vector<T> lanes_;
};

}  // namespace acceld::kernels::cpu
