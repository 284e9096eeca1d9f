#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/cpu/support/routines/routine_run.h"

namespace acceld::kernels::cpu {

// How a long transform is made of those of the columns and the rows of a matrix: with x as rows x
// columns, row-major, the columns are transformed; element (k, j) is then turned by
// exp(-2 pi i k j / length); and of the transformed rows element (k, m) is result m * rows + k.
// Immutable, thread-safe. For lengths that have no prime factor beyond 13.
template <typename T>
class FftSplit {
 public:
  // From a small table of those made before. CANCELLED; std::bad_alloc when memory is short.
  static absl::StatusOr<std::shared_ptr<const FftSplit>> Find(const RoutineRun& run,
                                                              int64_t length);
  static absl::StatusOr<std::shared_ptr<const FftSplit>> Make(const RoutineRun& run,
                                                              int64_t length);

  // About the same, with length = rows * columns.
  int64_t rows() const { return rows_; }
  int64_t columns() const { return columns_; }
  // Turns the columns from group * kFftLanes<T> on, all rows of a tile of them, or back for the
  // inverse. Behind the last column values are lost.
  void Turn(int64_t group, bool inverse, T* re, T* im) const;

  int64_t table_elements() const { return static_cast<int64_t>(firsts_.size() + lanes_.size()); }

 private:
  explicit FftSplit(int64_t length);

  absl::Status FillTables(const RoutineRun& run);

  int64_t rows_, columns_;
  // By what an element is turned is the product of what turns the first column of its group, a pair
  // of parts for each group and row, and of what turns its column further, for each row the real
  // and then the imaginary parts of all lanes.
  std::vector<T> firsts_;
  std::vector<T> lanes_;
};

}  // namespace acceld::kernels::cpu
