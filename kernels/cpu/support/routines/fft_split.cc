#include "kernels/cpu/support/routines/fft_split.h"

#include <type_traits>

#include "kernels/cpu/support/routines/fft_table.h"
#include "kernels/cpu/support/routines/root_of_unity.h"

namespace acceld::kernels::cpu {
namespace {

// The largest divisor up to the square root.
int64_t MiddleDivisorOf(int64_t length) {
  int64_t best = 1;
  for (int64_t divisor = 1; divisor * divisor <= length; ++divisor) {
    if (length % divisor == 0) best = divisor;
  }
  return best;
}

}  // namespace

template <typename T>
std::shared_ptr<const FftSplit<T>> FftSplit<T>::Find(int64_t length) {
  static auto* table = new FftTable<FftSplit<T>>;
  return table->Find(length);
}

template <typename T>
FftSplit<T>::FftSplit(int64_t length) : rows_(MiddleDivisorOf(length)), columns_(length / rows_) {
  const int64_t groups = (columns_ + kLanes - 1) / kLanes;
  factors_.resize(groups * rows_ * 2 * kLanes);
  // exp(-2 pi i k j / length) for the lanes of group g: the product of that for the group's first
  // column and of that for the lane. Of doubles, which the product would cost a bit or two, each is
  // computed.
  Root lanes[kLanes];
  for (int64_t k = 0; k < rows_; ++k) {
    for (int64_t q = 0; q < kLanes; ++q) lanes[q] = RootOfUnity(k * q % length, length);
    for (int64_t g = 0; g < groups; ++g) {
      const Root first = RootOfUnity(k * g * kLanes % length, length);
      T* const factors = factors_.data() + (g * rows_ + k) * 2 * kLanes;
      for (int64_t q = 0; q < kLanes; ++q) {
        const Root root = std::is_same_v<T, float>
                              ? Root{first.re * lanes[q].re - first.im * lanes[q].im,
                                     first.re * lanes[q].im + first.im * lanes[q].re}
                              : RootOfUnity(k * (g * kLanes + q) % length, length);
        factors[q] = static_cast<T>(root.re);
        factors[kLanes + q] = static_cast<T>(root.im);
      }
    }
  }
}

template <typename T>
void FftSplit<T>::Turn(int64_t group, int64_t row, bool inverse, T* re, T* im) const {
  const T* const factors = factors_.data() + (group * rows_ + row) * 2 * kLanes;
  const T sign = inverse ? T(-1) : T(1);
#pragma GCC ivdep
  for (int64_t q = 0; q < kLanes; ++q) {
    const T by_re = factors[q], by_im = sign * factors[kLanes + q];
    const T x = re[q], y = im[q];
    re[q] = x * by_re - y * by_im;
    im[q] = x * by_im + y * by_re;
  }
}

template class FftSplit<float>;
template class FftSplit<double>;

}  // namespace acceld::kernels::cpu
