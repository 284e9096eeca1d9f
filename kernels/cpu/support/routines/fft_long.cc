#include <algorithm>

#include "kernels/cpu/support/routines/fft_axis.h"
#include "kernels/cpu/support/routines/fft_plan.h"
#include "kernels/cpu/support/routines/fft_split.h"
#include "kernels/cpu/support/scratchpad.h"

namespace acceld::kernels::cpu {
namespace {

// One sequence as a matrix of which the columns and then the rows are transformed, for several
// threads. Source: Bailey, FFTs in External or Hierarchical Memory, the four-step algorithm.
template <typename T>
class LongTransform {
 public:
  LongTransform(const Axis<T>& axis, int64_t sequence)
      : axis_(axis),
        split_(FftSplit<T>::Find(axis.length)),
        rows_(split_->rows()),
        columns_(split_->columns()),
        from_(BeginOf(axis, sequence, axis.from_length)),
        to_(BeginOf(axis, sequence, axis.to_length)),
        is_plain_(axis.inner == 1 && !axis.from_real && !axis.to_real &&
                  axis.from_length == axis.length && axis.to_length == axis.length) {}

  absl::Status Run(const RoutineRun& run) {
    thread_local Scratchpad memory;
    between_ = ReserveElements<T>(memory, GroupsOf(rows_) * columns_ * 2 * kLanes);
    const auto columns_plan = FftPlan<T>::Find(rows_), rows_plan = FftPlan<T>::Find(columns_);
    ACCELD_RETURN_IF_ERROR(
        run.ForEach(GroupsOf(columns_), WorkOf(rows_, kLanes), [&](int64_t group) {
          TransformColumns(*columns_plan, group);
          return absl::OkStatus();
        }));
    ACCELD_RETURN_IF_ERROR(
        run.ForEach(GroupsOf(rows_), WorkOf(columns_, kLanes), [&](int64_t group) {
          TransformRows(*rows_plan, group);
          return absl::OkStatus();
        }));
    memory.Trim();
    return absl::OkStatus();
  }

 private:
  using Parts = typename FftPlan<T>::Parts;
  static constexpr int64_t kLanes = FftSplit<T>::kLanes;
  static constexpr int64_t kAhead = 8;  // rows: further apart than what the CPU foresees

  static int64_t GroupsOf(int64_t lanes) { return (lanes + kLanes - 1) / kLanes; }

  // Real and imaginary parts of the rows of a group, in `between_`.
  Parts BetweenOf(int64_t group) const {
    T* const re = between_ + group * columns_ * 2 * kLanes;
    return {re, re + columns_ * kLanes};
  }
  Parts Transform(const FftPlan<T>& plan, Parts x, T* scratch) const {
    return axis_.inverse ? plan.RunInverse(kLanes, x, scratch) : plan.Run(kLanes, x, scratch);
  }

  void TransformColumns(const FftPlan<T>& plan, int64_t group) const {
    const int64_t first = group * kLanes, count = std::min(kLanes, columns_ - first);
    const int64_t size = rows_ * kLanes;
    thread_local Scratchpad memory;
    T* const values = ReserveElements<T>(memory, 2 * size + plan.ScratchElements(kLanes));
    Parts x{values, values + size};
    for (int64_t j = 0; j < rows_; ++j) {
      ReadLanes(j * columns_ + first, count, x.re + j * kLanes, x.im + j * kLanes);
    }
    x = Transform(plan, x, values + 2 * size);
    for (int64_t j = 0; j < rows_; ++j) {
      split_->Turn(group, j, axis_.inverse, x.re + j * kLanes, x.im + j * kLanes);
    }
    for (int64_t j = 0; j < rows_; j += kLanes) {
      const Parts to = BetweenOf(j / kLanes);
      const int64_t rows = std::min(kLanes, rows_ - j);
      Transpose(rows, count, x.re + j * kLanes, to.re + first * kLanes);
      Transpose(rows, count, x.im + j * kLanes, to.im + first * kLanes);
    }
  }

  // Of rows of kLanes elements on both sides.
  static void Transpose(int64_t rows, int64_t columns, const T* from, T* to) {
    if (rows == kLanes && columns == kLanes) {
      for (int64_t q = 0; q < kLanes; ++q) {
        for (int64_t j = 0; j < kLanes; ++j) to[q * kLanes + j] = from[j * kLanes + q];
      }
      return;
    }
    for (int64_t q = 0; q < columns; ++q) {
      for (int64_t j = 0; j < rows; ++j) to[q * kLanes + j] = from[j * kLanes + q];
    }
  }

  void TransformRows(const FftPlan<T>& plan, int64_t group) const {
    const int64_t first = group * kLanes, count = std::min(kLanes, rows_ - first);
    thread_local Scratchpad memory;
    T* const scratch = ReserveElements<T>(memory, plan.ScratchElements(kLanes));
    const Parts x = Transform(plan, BetweenOf(group), scratch);
    for (int64_t j = 0; j < columns_; ++j) {
      WriteLanes(j * rows_ + first, count, x.re + j * kLanes, x.im + j * kLanes);
    }
  }

  void ReadLanes(int64_t first, int64_t count, T* re, T* im) const {
    if (is_plain_ && count == kLanes) {
      const T* const from = axis_.from + 2 * (from_ + first);
      __builtin_prefetch(from + 2 * kAhead * columns_);
      __builtin_prefetch(from + 2 * kAhead * columns_ + kLanes);
#pragma GCC ivdep
      for (int64_t q = 0; q < kLanes; ++q) {
        re[q] = from[2 * q];
        im[q] = from[2 * q + 1];
      }
      return;
    }
    for (int64_t q = 0; q < count; ++q) Read(axis_, from_, first + q, re[q], im[q]);
    std::fill(re + count, re + kLanes, T(0));
    std::fill(im + count, im + kLanes, T(0));
  }
  void WriteLanes(int64_t first, int64_t count, const T* re, const T* im) const {
    if (is_plain_ && count == kLanes) {
      T* const to = axis_.to + 2 * (to_ + first);
      __builtin_prefetch(to + 2 * kAhead * rows_, 1);
      __builtin_prefetch(to + 2 * kAhead * rows_ + kLanes, 1);
      const T scale = axis_.scale;
#pragma GCC ivdep
      for (int64_t q = 0; q < kLanes; ++q) {
        to[2 * q] = re[q] * scale;
        to[2 * q + 1] = im[q] * scale;
      }
      return;
    }
    for (int64_t q = 0; q < count; ++q) Write(axis_, to_, first + q, re[q], im[q]);
  }

  const Axis<T>& axis_;
  const std::shared_ptr<const FftSplit<T>> split_;
  const int64_t rows_, columns_, from_, to_;
  const bool is_plain_;  // whether both sides have all elements side by side, as they are
  // Of the transformed columns: for each group of rows, and for each column, the group's elements.
  T* between_ = nullptr;
};

}  // namespace

template <typename T>
absl::Status TransformLong(const RoutineRun& run, const Axis<T>& axis) {
  for (int64_t s = 0; s < axis.sequences; ++s) {
    ACCELD_RETURN_IF_ERROR(LongTransform<T>(axis, s).Run(run));
  }
  return absl::OkStatus();
}

template absl::Status TransformLong<float>(const RoutineRun&, const Axis<float>&);
template absl::Status TransformLong<double>(const RoutineRun&, const Axis<double>&);

}  // namespace acceld::kernels::cpu
