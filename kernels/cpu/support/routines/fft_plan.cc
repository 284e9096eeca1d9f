#include "kernels/cpu/support/routines/fft_plan.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "kernels/cpu/support/routines/fft_passes.h"
#include "kernels/cpu/support/routines/fft_table.h"
#include "kernels/cpu/support/routines/root_of_unity.h"

namespace acceld::kernels::cpu {
namespace {

constexpr int64_t kLargestPrime = 13;
// Radices of a length, empty when it has a larger prime factor than the passes take.
std::vector<int64_t> Factor(int64_t n) {
  std::vector<int64_t> radices;
  for (int64_t radix : {4, 2, 3, 5, 7, 11, 13}) {
    for (; n % radix == 0; n /= radix) radices.push_back(radix);
  }
  if (n != 1) radices.clear();
  return radices;
}

// Fills `size` >= 2n - 1 elements with the conjugate chirp, wrapped around.
void FillKernel(const std::vector<Root>& chirp, int64_t size, std::vector<double>& re,
                std::vector<double>& im) {
  re.assign(size, 0);
  im.assign(size, 0);
  for (int64_t j = 0, n = static_cast<int64_t>(chirp.size()); j < n; ++j) {
    for (int64_t place : {j, (size - j) % size}) {
      re[place] = chirp[j].re;
      im[place] = -chirp[j].im;
    }
  }
}

}  // namespace

template <typename T>
std::shared_ptr<const FftPlan<T>> FftPlan<T>::Find(int64_t length) {
  static auto* table = new FftTable<FftPlan<T>>;
  return table->Find(length);
}

template <typename T>
bool FftPlan<T>::IsChirp(int64_t length) {
  return length > 1 && Factor(length).empty();
}

template <typename T>
FftPlan<T>::FftPlan(int64_t length) : length_(length) {
  if (!IsChirp(length)) {
    int64_t n = length;
    for (int64_t radix : Factor(length)) {
      Stage stage{radix, n / radix, {}};
      stage.twiddles.reserve(2 * stage.m * (radix - 1));
      for (int64_t p = 0; p < stage.m; ++p) {
        for (int64_t k = 1; k < radix; ++k) {
          const Root root = RootOfUnity(p * k % n, n);
          stage.twiddles.push_back(static_cast<T>(root.re));
          stage.twiddles.push_back(static_cast<T>(root.im));
        }
      }
      n = stage.m;
      stages_.push_back(std::move(stage));
    }
    return;
  }
  int64_t size = 1;
  while (size < 2 * length - 1) size *= 2;
  padded_ = Find(size);
  std::vector<Root> chirp(length);
  for (int64_t j = 0, square = 0; j < length; ++j) {  // square is j^2 mod 2 length
    chirp[j] = RootOfUnity(square, 2 * length);
    chirp_re_.push_back(static_cast<T>(chirp[j].re));
    chirp_im_.push_back(static_cast<T>(chirp[j].im));
    square = (square + 2 * j + 1) % (2 * length);
  }
  std::vector<double> re, im;
  FillKernel(chirp, size, re, im);
  const auto exact = FftPlan<double>::Find(size);
  std::vector<double> scratch(exact->ScratchElements(1));
  const auto kernel = exact->Run(1, {re.data(), im.data()}, scratch.data());
  for (int64_t k = 0; k < size; ++k) {
    kernel_re_.push_back(static_cast<T>(kernel.re[k] / static_cast<double>(size)));
    kernel_im_.push_back(static_cast<T>(kernel.im[k] / static_cast<double>(size)));
  }
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
typename FftPlan<T>::Parts FftPlan<T>::Run(int64_t lanes, Parts x, T* scratch) const {
  return padded_ == nullptr ? RunStages(lanes, x, scratch) : RunChirp(lanes, x, scratch);
}

template <typename T>
typename FftPlan<T>::Parts FftPlan<T>::RunStages(int64_t lanes, Parts x, T* scratch) const {
  Parts other{scratch, scratch + length_ * lanes};
  int64_t stride = lanes;
  for (const Stage& stage : stages_) {
    RunFftPass(stage.radix, stage.m, stride, stage.twiddles.data(), x.re, x.im, other.re, other.im);
    std::swap(x, other);
    stride *= stage.radix;
  }
  return x;
}

// With j k = (j^2 + k^2 - (k - j)^2) / 2 the transform is a convolution with a chirp, which the
// padded transforms compute.
template <typename T>
typename FftPlan<T>::Parts FftPlan<T>::RunChirp(int64_t lanes, Parts x, T* scratch) const {
  const int64_t size = padded_->length_;
  Parts padded{scratch, scratch + size * lanes};
  T* const inner_scratch = padded.im + size * lanes;
  const auto multiply = [lanes](int64_t j, Parts from, const std::vector<T>& by_re,
                                const std::vector<T>& by_im, Parts to) {
    MultiplyLanes(lanes, from.re + j * lanes, from.im + j * lanes, by_re[j], by_im[j],
                  to.re + j * lanes, to.im + j * lanes);
  };
  for (int64_t j = 0; j < length_; ++j) multiply(j, x, chirp_re_, chirp_im_, padded);
  std::fill(padded.re + length_ * lanes, padded.re + size * lanes, T(0));
  std::fill(padded.im + length_ * lanes, padded.im + size * lanes, T(0));
  const Parts spectrum = padded_->Run(lanes, padded, inner_scratch);
  // What follows may use the other of the two places: the first is free again.
  T* const free_place = spectrum.re == padded.re ? inner_scratch : padded.re;
  for (int64_t k = 0; k < size; ++k) multiply(k, spectrum, kernel_re_, kernel_im_, spectrum);
  const Parts product = padded_->RunInverse(lanes, spectrum, free_place);
  for (int64_t k = 0; k < length_; ++k) multiply(k, product, chirp_re_, chirp_im_, x);
  return x;
}

template class FftPlan<float>;
template class FftPlan<double>;

}  // namespace acceld::kernels::cpu
