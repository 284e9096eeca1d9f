#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "kernels/cpu/support/routines/routine_run.h"

namespace acceld::kernels::cpu {

// A temporary array of a routine, with room for at least one element. Large arrays are allocated
// from the run's working memory, which has a budget, and small ones from the heap. Movable. T is a
// number type; elements are not constructed.
template <typename T>
class WorkArray {
 public:
  // Makes an array of uninitialized elements. Returns RESOURCE_EXHAUSTED or throws std::bad_alloc
  // when memory runs out.
  static absl::StatusOr<WorkArray> Make(const RoutineRun& run, int64_t size) {
    WorkArray out(size);
    const int64_t bytes =
        std::max<int64_t>(size, 1) * static_cast<int64_t>(sizeof(T)) + kOverreadBytes;
    if (bytes <= kMaxHeapBytes) {
      out.small_ = std::make_unique_for_overwrite<char[]>(bytes);
      out.data_ = reinterpret_cast<T*>(out.small_.get());
    } else {
      ACCELD_ASSIGN_OR_RETURN(out.large_, run.Allocate(bytes));
      out.data_ = static_cast<T*>(out.large_.get());
    }
    return out;
  }
  // Makes an array of zeros. Polls; returns CANCELLED when the run has to end.
  static absl::StatusOr<WorkArray> MakeZeros(const RoutineRun& run, int64_t size) {
    ACCELD_ASSIGN_OR_RETURN(WorkArray out, Make(run, size));
    for (int64_t at = 0; at < size; at += kPolledElements) {
      ACCELD_RETURN_IF_ERROR(run.Poll());
      std::fill_n(out.data_ + at, std::min(kPolledElements, size - at), T(0));
    }
    return out;
  }
  // Makes an array with item `i` of an operand, column-major and converted to T. Polls; returns
  // CANCELLED when the run has to end.
  static absl::StatusOr<WorkArray> Load(const RoutineRun& run, const RoutineBuffer& from,
                                        int64_t i) {
    ACCELD_ASSIGN_OR_RETURN(WorkArray out, Make(run, from.item_elements()));
    ACCELD_RETURN_IF_ERROR(LoadColumns(run, from, i, out.data_));
    return out;
  }

  T* data() const { return data_; }
  int64_t size() const { return size_; }
  T& operator[](int64_t i) const { return data_[i]; }
  T* begin() const { return data_; }
  T* end() const { return data_ + size_; }

 private:
  static constexpr int64_t kMaxHeapBytes = int64_t{256} << 10;
  // OpenBLAS's cgemv reads whole vectors, beyond the last element.
  static constexpr int64_t kOverreadBytes = 64;
  static constexpr int64_t kPolledElements = int64_t{1} << 20;

  explicit WorkArray(int64_t size) : size_(size) {}

  int64_t size_;
  std::unique_ptr<char[]> small_;
  std::shared_ptr<void> large_;
  T* data_ = nullptr;
};

// Returns whether all elements are finite. LAPACK's iterations may not end for others.
template <typename T>
bool AllFinite(const T* begin, const T* end) {
  return std::all_of(begin, end, [](const T& value) {
    return std::isfinite(std::real(value)) && std::isfinite(std::imag(value));
  });
}
template <typename T>
bool AllFinite(const WorkArray<T>& values) {
  return AllFinite<T>(values.begin(), values.end());
}

}  // namespace acceld::kernels::cpu
