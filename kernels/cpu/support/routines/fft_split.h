#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace acceld::kernels::cpu {

// How a long transform is made of those of the columns and the rows of a matrix: with x as rows x
// columns, row-major, the columns are transformed; element (k, j) is then turned by
// exp(-2 pi i k j / length); and of the transformed rows element (k, m) is result m * rows + k.
// Immutable, thread-safe. For lengths that have no prime factor beyond 13.
template <typename T>
class FftSplit {
 public:
  // From a small table of those made before; std::bad_alloc when memory is short.
  static std::shared_ptr<const FftSplit> Find(int64_t length);

  explicit FftSplit(int64_t length);

  // About the same, with length = rows * columns.
  int64_t rows() const { return rows_; }
  int64_t columns() const { return columns_; }
  // Turns `count` neighbours of a row from place `first` on, or back for the inverse.
  void Turn(int64_t first, int64_t count, bool inverse, T* re, T* im) const;

  int64_t table_elements() const { return 2 * rows_ * columns_; }

 private:
  int64_t rows_, columns_;
  std::vector<T> re_, im_;  // rows x columns
};

}  // namespace acceld::kernels::cpu
