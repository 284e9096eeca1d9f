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
  exact->Run(1, re.data(), im.data(), scratch.data());
  for (int64_t k = 0; k < size; ++k) {
    kernel_re_.push_back(static_cast<T>(re[k] / static_cast<double>(size)));
    kernel_im_.push_back(static_cast<T>(im[k] / static_cast<double>(size)));
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
void FftPlan<T>::Run(int64_t lanes, T* re, T* im, T* scratch) const {
  if (padded_ == nullptr) {
    RunStages(lanes, re, im, scratch);
  } else {
    RunChirp(lanes, re, im, scratch);
  }
}

template <typename T>
void FftPlan<T>::RunStages(int64_t lanes, T* re, T* im, T* scratch) const {
  T* from[2] = {re, im};
  T* to[2] = {scratch, scratch + length_ * lanes};
  int64_t stride = lanes;
  for (const Stage& stage : stages_) {
    RunFftPass(stage.radix, stage.m, stride, stage.twiddles.data(), from[0], from[1], to[0], to[1]);
    std::swap(from, to);
    stride *= stage.radix;
  }
  if (from[0] == re) return;
  std::copy_n(from[0], length_ * lanes, re);
  std::copy_n(from[1], length_ * lanes, im);
}

// With j k = (j^2 + k^2 - (k - j)^2) / 2 the transform is a convolution with a chirp, which the
// padded transforms compute.
template <typename T>
void FftPlan<T>::RunChirp(int64_t lanes, T* re, T* im, T* scratch) const {
  const int64_t size = padded_->length_;
  T* padded_re = scratch;
  T* padded_im = scratch + size * lanes;
  T* inner_scratch = padded_im + size * lanes;
  for (int64_t j = 0; j < length_; ++j) {
    MultiplyLanes(lanes, re + j * lanes, im + j * lanes, chirp_re_[j], chirp_im_[j],
                  padded_re + j * lanes, padded_im + j * lanes);
  }
  std::fill(padded_re + length_ * lanes, padded_re + size * lanes, T(0));
  std::fill(padded_im + length_ * lanes, padded_im + size * lanes, T(0));
  padded_->Run(lanes, padded_re, padded_im, inner_scratch);
  for (int64_t k = 0; k < size; ++k) {
    MultiplyLanes(lanes, padded_re + k * lanes, padded_im + k * lanes, kernel_re_[k], kernel_im_[k],
                  padded_re + k * lanes, padded_im + k * lanes);
  }
  padded_->Run(lanes, padded_im, padded_re, inner_scratch);  // exchanged: the inverse
  for (int64_t k = 0; k < length_; ++k) {
    MultiplyLanes(lanes, padded_re + k * lanes, padded_im + k * lanes, chirp_re_[k], chirp_im_[k],
                  re + k * lanes, im + k * lanes);
  }
}

template class FftPlan<float>;
template class FftPlan<double>;

}  // namespace acceld::kernels::cpu
