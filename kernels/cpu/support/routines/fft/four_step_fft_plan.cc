#include "kernels/cpu/support/routines/fft/four_step_fft_plan.h"

#include <type_traits>
#include <vector>

#include "common/ceil_divide.h"
#include "kernels/cpu/support/routines/fft/fft_plan_caches.h"
#include "kernels/cpu/support/routines/fft/fft_tiles.h"
#include "kernels/cpu/support/routines/fft/root_of_unity.h"

namespace acceld::kernels::cpu {
namespace {

// Returns the largest divisor up to the square root.
int64_t MiddleDivisorOf(int64_t length) {
  int64_t best = 1;
  for (int64_t divisor = 1; divisor * divisor <= length; ++divisor) {
    if (length % divisor == 0) best = divisor;
  }
  return best;
}

// Computes roots of unity, exp(-2 pi i k / length).
template <typename T>
class Roots {
 public:
  explicit Roots(int64_t length) : length_(length) {
    if (!std::is_same_v<T, float>) return;
    while (int64_t{1} << (2 * fine_bits_) < length) ++fine_bits_;
    for (int64_t k = 0; k < int64_t{1} << fine_bits_; ++k) {
      fine_.push_back(RootOfUnity(k % length, length));
    }
    for (int64_t k = 0; k < length; k += int64_t{1} << fine_bits_) {
      coarse_.push_back(RootOfUnity(k, length));
    }
  }

  // Returns the root for 0 <= k < length. For float, the product of two roots from small tables is
  // accurate enough, and takes a tenth of the time.
  Root At(int64_t k) const {
    if (!std::is_same_v<T, float>) return RootOfUnity(k, length_);
    const Root a = coarse_[k >> fine_bits_], b = fine_[k & ((int64_t{1} << fine_bits_) - 1)];
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  }

 private:
  const int64_t length_;
  int fine_bits_ = 0;
  std::vector<Root> fine_, coarse_;
};

}  // namespace

template <typename T>
absl::StatusOr<std::shared_ptr<const FourStepFftPlan<T>>> FourStepFftPlan<T>::Find(
    const RoutineRun& run, int64_t length) {
  CpuRuntime* const runtime = run.context->runtime;
  if (runtime == nullptr) return Make(run, length);
  return runtime->fft_plans().Of<FourStepFftPlan<T>>().Find(run, length);
}

template <typename T>
absl::StatusOr<std::shared_ptr<const FourStepFftPlan<T>>> FourStepFftPlan<T>::Make(
    const RoutineRun& run, int64_t length) {
  std::shared_ptr<FourStepFftPlan> split(new FourStepFftPlan(length));
  ACCELD_RETURN_IF_ERROR(split->FillTables(run));
  return split;
}

template <typename T>
FourStepFftPlan<T>::FourStepFftPlan(int64_t length)
    : rows_(MiddleDivisorOf(length)), columns_(length / rows_) {}

template <typename T>
absl::Status FourStepFftPlan<T>::FillTables(const RoutineRun& run) {
  constexpr int64_t kPolledRows = 1 << 14;
  const int64_t length = rows_ * columns_;
  constexpr int64_t kLanes = kFftLanes<T>;
  const int64_t groups = CeilDivide(columns_, kLanes);
  firsts_.reserve(2 * groups * rows_);
  lanes_.resize(2 * kLanes * rows_);
  const Roots<T> roots(length);
  // Calls `use(row, root)` with the factor of each row of column `column`.
  const auto for_each_row = [&](int64_t column, auto use) -> absl::Status {
    int64_t power = 0;  // column * row, modulo the length
    for (int64_t row = 0; row < rows_; ++row) {
      if (row % kPolledRows == 0) ACCELD_RETURN_IF_ERROR(run.Poll());
      use(row, roots.At(power));
      power += column;
      if (power >= length) power -= length;
    }
    return absl::OkStatus();
  };
  for (int64_t q = 0; q < kLanes; ++q) {
    ACCELD_RETURN_IF_ERROR(for_each_row(q % length, [&](int64_t row, const Root& root) {
      lanes_[2 * kLanes * row + q] = static_cast<T>(root.re);
      lanes_[2 * kLanes * row + kLanes + q] = static_cast<T>(root.im);
    }));
  }
  for (int64_t group = 0; group < groups; ++group) {
    ACCELD_RETURN_IF_ERROR(for_each_row(group * kLanes, [&](int64_t /*row*/, const Root& root) {
      firsts_.push_back(static_cast<T>(root.re));
      firsts_.push_back(static_cast<T>(root.im));
    }));
  }
  return absl::OkStatus();
}

template <typename T>
void FourStepFftPlan<T>::ApplyTwiddles(int64_t group, bool inverse, T* re, T* im) const {
  ApplyTwiddlesToFftTile(firsts_.data() + 2 * group * rows_, lanes_.data(), inverse, rows_, re, im);
}

template class FourStepFftPlan<float>;
template class FourStepFftPlan<double>;

}  // namespace acceld::kernels::cpu
