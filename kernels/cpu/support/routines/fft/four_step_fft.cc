#include <algorithm>
#include <utility>

#include "common/ceil_divide.h"
#include "kernels/cpu/support/routines/fft/fft_axis.h"
#include "kernels/cpu/support/routines/fft/fft_plan.h"
#include "kernels/cpu/support/routines/fft/fft_tiles.h"
#include "kernels/cpu/support/routines/fft/four_step_fft_plan.h"
#include "kernels/cpu/support/scratchpad.h"

namespace acceld::kernels::cpu {
namespace {

// Transforms a sequence as a matrix: first the columns, then the rows, each shared by several
// threads. Source: Bailey, FFTs in External or Hierarchical Memory, the four-step algorithm.
template <typename T>
class FourStepTransform {
 public:
  FourStepTransform(const Axis<T>& axis, std::shared_ptr<const FourStepFftPlan<T>> split)
      : axis_(axis),
        split_(std::move(split)),
        rows_(split_->rows()),
        columns_(split_->columns()),
        is_plain_(axis.inner == 1 && !axis.from_real && !axis.to_real &&
                  axis.from_length == axis.length && axis.to_length == axis.length) {}

  // The working memory that Run needs.
  int64_t workspace_bytes() const {
    return GroupsOf(rows_) * columns_ * 2 * kLanes * static_cast<int64_t>(sizeof(T));
  }

  absl::Status Run(const RoutineRun& run, int64_t sequence, void* workspace) {
    between_ = static_cast<T*>(workspace);
    from_ = BeginOf(axis_, sequence, axis_.from_length);
    to_ = BeginOf(axis_, sequence, axis_.to_length);
    ACCELD_ASSIGN_OR_RETURN(const auto columns_plan, FftPlan<T>::Find(run, rows_));
    ACCELD_ASSIGN_OR_RETURN(const auto rows_plan, FftPlan<T>::Find(run, columns_));
    ACCELD_RETURN_IF_ERROR(
        run.ForEach(GroupsOf(columns_), WorkOf(rows_, kLanes),
                    [&](int64_t group) { return TransformColumns(run, *columns_plan, group); }));
    return run.ForEach(GroupsOf(rows_), WorkOf(columns_, kLanes),
                       [&](int64_t group) { return TransformRows(run, *rows_plan, group); });
  }

 private:
  using Parts = typename FftPlan<T>::Parts;
  static constexpr int64_t kLanes = kFftLanes<T>;

  static int64_t GroupsOf(int64_t lanes) { return CeilDivide(lanes, kLanes); }

  // Returns the real and imaginary parts of the rows of a group, in `between_`.
  Parts BetweenOf(int64_t group) const {
    T* const re = between_ + group * columns_ * 2 * kLanes;
    return {re, re + columns_ * kLanes};
  }
  absl::StatusOr<Parts> Transform(const RoutineRun& run, const FftPlan<T>& plan, Parts x,
                                  T* scratch) const {
    return axis_.inverse ? plan.RunInverse(run, kLanes, x, scratch)
                         : plan.Run(run, kLanes, x, scratch);
  }

  absl::Status TransformColumns(const RoutineRun& run, const FftPlan<T>& plan,
                                int64_t group) const {
    const int64_t first = group * kLanes, count = std::min(kLanes, columns_ - first);
    const int64_t size = rows_ * kLanes;
    thread_local Scratchpad memory;
    T* const values = ReserveElements<T>(memory, 2 * size + plan.ScratchElements(kLanes));
    Parts x{values, values + size};
    ReadColumns(first, count, x);
    ACCELD_ASSIGN_OR_RETURN(x, Transform(run, plan, x, values + 2 * size));
    split_->ApplyTwiddles(group, axis_.inverse, x.re, x.im);
    for (int64_t j = 0; j < rows_; j += kLanes) {
      const Parts to = BetweenOf(j / kLanes);
      const int64_t rows = std::min(kLanes, rows_ - j);
      Transpose(rows, count, x.re + j * kLanes, to.re + first * kLanes);
      Transpose(rows, count, x.im + j * kLanes, to.im + first * kLanes);
    }
    return absl::OkStatus();
  }

  // Transposes a block. Rows have kLanes elements on both sides.
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

  absl::Status TransformRows(const RoutineRun& run, const FftPlan<T>& plan, int64_t group) const {
    const int64_t first = group * kLanes, count = std::min(kLanes, rows_ - first);
    thread_local Scratchpad memory;
    T* const scratch = ReserveElements<T>(memory, plan.ScratchElements(kLanes));
    ACCELD_ASSIGN_OR_RETURN(const Parts x, Transform(run, plan, BetweenOf(group), scratch));
    WriteColumns(x, first, count);
    return absl::OkStatus();
  }

  // Reads `count` columns of the source as a tile.
  void ReadColumns(int64_t first, int64_t count, Parts x) const {
    if (is_plain_ && count == kLanes) {
      ReadFftTile(axis_.from + 2 * (from_ + first), rows_, columns_, x.re, x.im);
      return;
    }
    for (int64_t j = 0; j < rows_; ++j) {
      T* const re = x.re + j * kLanes;
      T* const im = x.im + j * kLanes;
      for (int64_t q = 0; q < count; ++q) {
        Read(axis_, from_, j * columns_ + first + q, re[q], im[q]);
      }
      std::fill(re + count, re + kLanes, T(0));
      std::fill(im + count, im + kLanes, T(0));
    }
  }
  // Writes a tile as `count` columns of the result.
  void WriteColumns(Parts x, int64_t first, int64_t count) const {
    if (is_plain_ && count == kLanes) {
      WriteFftTile(x.re, x.im, axis_.scale, columns_, rows_, axis_.to + 2 * (to_ + first));
      return;
    }
    for (int64_t j = 0; j < columns_; ++j) {
      for (int64_t q = 0; q < count; ++q) {
        Write(axis_, to_, j * rows_ + first + q, x.re[j * kLanes + q], x.im[j * kLanes + q]);
      }
    }
  }

  const Axis<T>& axis_;
  const std::shared_ptr<const FourStepFftPlan<T>> split_;
  const int64_t rows_, columns_;
  const bool is_plain_;        // whether both sides are complex and contiguous
  int64_t from_ = 0, to_ = 0;  // indices of the sequence's first element
  // The transformed columns: for each group of rows, and for each column, the elements of the
  // group.
  T* between_ = nullptr;
};

}  // namespace

template <typename T>
absl::Status TransformByFourSteps(const RoutineRun& run, const Axis<T>& axis) {
  ACCELD_ASSIGN_OR_RETURN(std::shared_ptr<const FourStepFftPlan<T>> split,
                          FourStepFftPlan<T>::Find(run, axis.length));
  FourStepTransform<T> transform(axis, std::move(split));
  ACCELD_ASSIGN_OR_RETURN(const std::shared_ptr<void> workspace,
                          run.Allocate(transform.workspace_bytes()));
  for (int64_t s = 0; s < axis.sequences; ++s) {
    ACCELD_RETURN_IF_ERROR(transform.Run(run, s, workspace.get()));
  }
  return absl::OkStatus();
}

template absl::Status TransformByFourSteps<float>(const RoutineRun&, const Axis<float>&);
template absl::Status TransformByFourSteps<double>(const RoutineRun&, const Axis<double>&);

}  // namespace acceld::kernels::cpu
