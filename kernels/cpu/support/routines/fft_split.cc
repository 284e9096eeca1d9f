#include "kernels/cpu/support/routines/fft_split.h"

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
FftSplit<T>::FftSplit(int64_t length)
    : rows_(MiddleDivisorOf(length)), columns_(length / rows_), re_(length), im_(length) {
  for (int64_t k = 0; k < rows_; ++k) {
    for (int64_t j = 0; j < columns_; ++j) {
      const Root root = RootOfUnity(k * j, length);
      re_[k * columns_ + j] = static_cast<T>(root.re);
      im_[k * columns_ + j] = static_cast<T>(root.im);
    }
  }
}

template <typename T>
void FftSplit<T>::Turn(int64_t first, int64_t count, bool inverse, T* re, T* im) const {
  const T sign = inverse ? T(-1) : T(1);
#pragma GCC ivdep
  for (int64_t i = 0; i < count; ++i) {
    const T by_re = re_[first + i], by_im = sign * im_[first + i];
    const T x = re[i], y = im[i];
    re[i] = x * by_re - y * by_im;
    im[i] = x * by_im + y * by_re;
  }
}

template class FftSplit<float>;
template class FftSplit<double>;

}  // namespace acceld::kernels::cpu
