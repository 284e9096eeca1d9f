#include "kernels/cpu/support/routines/fft/fft_plan.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "kernels/cpu/support/routines/fft/fft_passes.h"
#include "kernels/cpu/support/routines/fft/fft_plan_caches.h"
#include "kernels/cpu/support/routines/fft/root_of_unity.h"

namespace acceld::kernels::cpu {
namespace {

// The work between two polls: roots that are computed, elements that a pass combines.
constexpr int64_t kPolledRoots = 1 << 14;
constexpr int64_t kPolledElements = 1 << 20;

// Returns the radices of a length, or an empty list if it has a prime factor that the passes do not
// support.
std::vector<int64_t> Factor(int64_t n) {
  std::vector<int64_t> radices;
  for (int64_t radix : {4, 2, 3, 5, 7, 11, 13}) {
    for (; n % radix == 0; n /= radix) radices.push_back(radix);
  }
  if (n != 1) radices.clear();
  return radices;
}

// Fills `size` >= 2n - 1 elements with the conjugate of the chirp, which has n elements, wrapped
// around.
void FillKernel(const std::vector<Root>& chirp, int64_t size, std::vector<double>& re,
                std::vector<double>& im) {
  re.assign(size, 0);
  im.assign(size, 0);
  for (int64_t j = 0, n = static_cast<int64_t>(chirp.size()); j < n; ++j) {
    for (int64_t index : {j, (size - j) % size}) {
      re[index] = chirp[j].re;
      im[index] = -chirp[j].im;
    }
  }
}

}  // namespace

template <typename T>
absl::StatusOr<std::shared_ptr<const FftPlan<T>>> FftPlan<T>::Find(const RoutineRun& run,
                                                                   int64_t length) {
  CpuRuntime* const runtime = run.context->runtime;
  if (runtime == nullptr) return Make(run, length);
  return runtime->fft_plans().Of<FftPlan<T>>().Find(run, length);
}

template <typename T>
absl::StatusOr<std::shared_ptr<const FftPlan<T>>> FftPlan<T>::Make(const RoutineRun& run,
                                                                   int64_t length) {
  std::shared_ptr<FftPlan> plan(new FftPlan(length));
  ACCELD_RETURN_IF_ERROR(UsesBluestein(length) ? plan->FillChirp(run) : plan->FillStages(run));
  return plan;
}

template <typename T>
bool FftPlan<T>::UsesBluestein(int64_t length) {
  return length > 1 && Factor(length).empty();
}

template <typename T>
absl::Status FftPlan<T>::FillStages(const RoutineRun& run) {
  int64_t n = length_;
  for (int64_t radix : Factor(length_)) {
    Stage stage{radix, n / radix, {}};
    stage.twiddles.reserve(2 * stage.m * (radix - 1));
    for (int64_t p = 0; p < stage.m; ++p) {
      if (p % kPolledRoots == 0) ACCELD_RETURN_IF_ERROR(run.Poll());
      for (int64_t k = 1; k < radix; ++k) {
        const Root root = RootOfUnity(p * k % n, n);
        stage.twiddles.push_back(static_cast<T>(root.re));
        stage.twiddles.push_back(static_cast<T>(root.im));
      }
    }
    n = stage.m;
    stages_.push_back(std::move(stage));
  }
  return absl::OkStatus();
}

template <typename T>
absl::Status FftPlan<T>::FillChirp(const RoutineRun& run) {
  int64_t size = 1;
  while (size < 2 * length_ - 1) size *= 2;
  ACCELD_ASSIGN_OR_RETURN(padded_, Find(run, size));
  std::vector<Root> chirp(length_);
  for (int64_t j = 0, square = 0; j < length_; ++j) {  // square is j^2 mod 2 length
    if (j % kPolledRoots == 0) ACCELD_RETURN_IF_ERROR(run.Poll());
    chirp[j] = RootOfUnity(square, 2 * length_);
    chirp_re_.push_back(static_cast<T>(chirp[j].re));
    chirp_im_.push_back(static_cast<T>(chirp[j].im));
    square = (square + 2 * j + 1) % (2 * length_);
  }
  std::vector<double> re, im;
  FillKernel(chirp, size, re, im);
  ACCELD_ASSIGN_OR_RETURN(const auto exact, FftPlan<double>::Find(run, size));
  std::vector<double> scratch(exact->ScratchElements(1));
  ACCELD_ASSIGN_OR_RETURN(const auto kernel,
                          exact->Run(run, 1, {re.data(), im.data()}, scratch.data()));
  for (int64_t k = 0; k < size; ++k) {
    if (k % kPolledElements == 0) ACCELD_RETURN_IF_ERROR(run.Poll());
    kernel_re_.push_back(static_cast<T>(kernel.re[k] / static_cast<double>(size)));
    kernel_im_.push_back(static_cast<T>(kernel.im[k] / static_cast<double>(size)));
  }
  return absl::OkStatus();
}

template <typename T>
int64_t FftPlan<T>::ScratchElements(int64_t lanes) const {
  if (padded_ == nullptr) return 2 * length_ * lanes;
  return 2 * padded_->length_ * lanes + padded_->ScratchElements(lanes);
}

template <typename T>
int64_t FftPlan<T>::table_elements() const {
  auto elements = static_cast<int64_t>(chirp_re_.size() + kernel_re_.size()) * 2;
  for (const Stage& stage : stages_) elements += static_cast<int64_t>(stage.twiddles.size());
  return elements;
}

template <typename T>
absl::StatusOr<typename FftPlan<T>::Parts> FftPlan<T>::Run(const RoutineRun& run, int64_t lanes,
                                                           Parts x, T* scratch) const {
  return padded_ == nullptr ? RunStages(run, lanes, x, scratch) : RunChirp(run, lanes, x, scratch);
}

template <typename T>
absl::StatusOr<typename FftPlan<T>::Parts> FftPlan<T>::RunStages(const RoutineRun& run,
                                                                 int64_t lanes, Parts x,
                                                                 T* scratch) const {
  Parts other{scratch, scratch + length_ * lanes};
  int64_t stride = lanes;
  for (const Stage& stage : stages_) {
    ACCELD_RETURN_IF_ERROR(RunStage(run, stage, stride, x, other));
    std::swap(x, other);
    stride *= stage.radix;
  }
  return x;
}

template <typename T>
absl::Status FftPlan<T>::RunStage(const RoutineRun& run, const Stage& stage, int64_t stride,
                                  Parts x, Parts to) {
  if (stage.radix * stage.m * stride <= kPolledElements) {
    RunFftPass(stage.radix, stage.m, stride, {0, stage.m, 0, stride}, stage.twiddles.data(), x.re,
               x.im, to.re, to.im);
    return absl::OkStatus();
  }
  const int64_t step_p = std::max<int64_t>(1, kPolledElements / (stage.radix * stride));
  const int64_t step_q = std::max<int64_t>(1, kPolledElements / stage.radix);
  for (int64_t p = 0; p < stage.m; p += step_p) {
    for (int64_t q = 0; q < stride; q += step_q) {
      ACCELD_RETURN_IF_ERROR(run.Poll());
      const FftPart part{p, std::min(stage.m, p + step_p), q, std::min(stride, q + step_q)};
      RunFftPass(stage.radix, stage.m, stride, part, stage.twiddles.data(), x.re, x.im, to.re,
                 to.im);
    }
  }
  return absl::OkStatus();
}

// With j k = (j^2 + k^2 - (k - j)^2) / 2 the transform is a convolution with a chirp, which the
// padded transforms compute.
template <typename T>
absl::StatusOr<typename FftPlan<T>::Parts> FftPlan<T>::RunChirp(const RoutineRun& run,
                                                                int64_t lanes, Parts x,
                                                                T* scratch) const {
  const int64_t size = padded_->length_;
  Parts padded{scratch, scratch + size * lanes};
  T* const inner_scratch = padded.im + size * lanes;
  const auto multiply = [&run, lanes](int64_t count, Parts from, const std::vector<T>& by_re,
                                      const std::vector<T>& by_im, Parts to) -> absl::Status {
    const int64_t polled = std::max<int64_t>(1, kPolledElements / lanes);
    for (int64_t begin = 0; begin < count; begin += polled) {
      ACCELD_RETURN_IF_ERROR(run.Poll());
      const int64_t end = std::min(count, begin + polled);
      for (int64_t j = begin; j < end; ++j) {
        MultiplyLanes(lanes, from.re + j * lanes, from.im + j * lanes, by_re[j], by_im[j],
                      to.re + j * lanes, to.im + j * lanes);
      }
    }
    return absl::OkStatus();
  };
  ACCELD_RETURN_IF_ERROR(multiply(length_, x, chirp_re_, chirp_im_, padded));
  std::fill(padded.re + length_ * lanes, padded.re + size * lanes, T(0));
  std::fill(padded.im + length_ * lanes, padded.im + size * lanes, T(0));
  ACCELD_ASSIGN_OR_RETURN(const Parts spectrum, padded_->Run(run, lanes, padded, inner_scratch));
  // The inverse transform may use the half of the memory that does not have the spectrum.
  T* const free_half = spectrum.re == padded.re ? inner_scratch : padded.re;
  ACCELD_RETURN_IF_ERROR(multiply(size, spectrum, kernel_re_, kernel_im_, spectrum));
  ACCELD_ASSIGN_OR_RETURN(const Parts product,
                          padded_->RunInverse(run, lanes, spectrum, free_half));
  ACCELD_RETURN_IF_ERROR(multiply(length_, product, chirp_re_, chirp_im_, x));
  return x;
}

template class FftPlan<float>;
template class FftPlan<double>;

}  // namespace acceld::kernels::cpu
