#include "kernels/cpu/support/routines/fft/fft_passes.h"

#include <cmath>

#include "kernels/cpu/support/routines/wide_vectors.h"

namespace acceld::kernels::cpu {
namespace {

// A complex value in registers.
template <typename T>
struct Pair {
  T re, im;
  Pair operator+(const Pair& o) const { return {re + o.re, im + o.im}; }
  Pair operator-(const Pair& o) const { return {re - o.re, im - o.im}; }
  Pair operator*(T factor) const { return {re * factor, im * factor}; }
  Pair operator*(const Pair& o) const { return {re * o.re - im * o.im, re * o.im + im * o.re}; }
  Pair TimesMinusI() const { return {im, -re}; }
};

// Transform 2, 3, 4 or 5 values in place.
template <typename T>
[[gnu::always_inline]] inline void Transform(Pair<T> (&a)[2]) {
  const Pair<T> sum = a[0] + a[1];
  a[1] = a[0] - a[1];
  a[0] = sum;
}

template <typename T>
[[gnu::always_inline]] inline void Transform(Pair<T> (&a)[3]) {
  constexpr T kSin = static_cast<T>(0.86602540378443864676);
  const Pair<T> sum = a[1] + a[2];
  const Pair<T> middle = a[0] - sum * T(0.5);
  const Pair<T> turned = ((a[1] - a[2]) * kSin).TimesMinusI();
  a[0] = a[0] + sum;
  a[1] = middle + turned;
  a[2] = middle - turned;
}

template <typename T>
[[gnu::always_inline]] inline void Transform(Pair<T> (&a)[4]) {
  const Pair<T> s02 = a[0] + a[2], d02 = a[0] - a[2];
  const Pair<T> s13 = a[1] + a[3], d13 = (a[1] - a[3]).TimesMinusI();
  a[0] = s02 + s13;
  a[1] = d02 + d13;
  a[2] = s02 - s13;
  a[3] = d02 - d13;
}

template <typename T>
[[gnu::always_inline]] inline void Transform(Pair<T> (&a)[5]) {
  constexpr T kCos1 = static_cast<T>(0.30901699437494742410);
  constexpr T kCos2 = static_cast<T>(-0.80901699437494742410);
  constexpr T kSin1 = static_cast<T>(0.95105651629515357212);
  constexpr T kSin2 = static_cast<T>(0.58778525229247312917);
  const Pair<T> s1 = a[1] + a[4], d1 = a[1] - a[4];
  const Pair<T> s2 = a[2] + a[3], d2 = a[2] - a[3];
  const Pair<T> even1 = a[0] + s1 * kCos1 + s2 * kCos2;
  const Pair<T> even2 = a[0] + s1 * kCos2 + s2 * kCos1;
  const Pair<T> odd1 = (d1 * kSin1 + d2 * kSin2).TimesMinusI();
  const Pair<T> odd2 = (d1 * kSin2 - d2 * kSin1).TimesMinusI();
  a[0] = a[0] + s1 + s2;
  a[1] = even1 + odd1;
  a[2] = even2 + odd2;
  a[3] = even2 - odd2;
  a[4] = even1 - odd1;
}

template <int radix, typename T>
[[gnu::always_inline]] inline void Pass(int64_t m, int64_t stride, const FftPart& part,
                                        const T* twiddles, const T* __restrict from_re,
                                        const T* __restrict from_im, T* __restrict to_re,
                                        T* __restrict to_im) {
  const int64_t count = part.end_q - part.begin_q;
  for (int64_t p = part.begin_p; p < part.end_p; ++p) {
    Pair<T> w[radix];
    for (int k = 1; k < radix; ++k) {
      const T* twiddle = twiddles + 2 * (p * (radix - 1) + k - 1);
      w[k] = {twiddle[0], twiddle[1]};
    }
    const int64_t in = stride * p + part.begin_q, in_step = stride * m;
    const int64_t out = stride * radix * p + part.begin_q;
#pragma GCC ivdep
    for (int64_t q = 0; q < count; ++q) {
      Pair<T> a[radix];
#pragma GCC unroll 5
      for (int j = 0; j < radix; ++j) {
        a[j] = {from_re[in + in_step * j + q], from_im[in + in_step * j + q]};
      }
      Transform(a);
      to_re[out + q] = a[0].re;
      to_im[out + q] = a[0].im;
#pragma GCC unroll 5
      for (int k = 1; k < radix; ++k) {
        const Pair<T> value = a[k] * w[k];
        to_re[out + stride * k + q] = value.re;
        to_im[out + stride * k + q] = value.im;
      }
    }
  }
}

// Computes a pass of any small radix by the definition of the transform.
template <typename T>
void GeneralPass(int64_t radix, int64_t m, int64_t stride, const FftPart& part, const T* twiddles,
                 const T* __restrict from_re, const T* __restrict from_im, T* __restrict to_re,
                 T* __restrict to_im) {
  constexpr double kPi = 3.14159265358979323846;
  constexpr int64_t kMaxRadix = 16;
  Pair<T> roots[kMaxRadix];
  for (int64_t j = 0; j < radix; ++j) {
    const double angle = 2 * kPi * static_cast<double>(j) / static_cast<double>(radix);
    roots[j] = {static_cast<T>(std::cos(angle)), static_cast<T>(-std::sin(angle))};
  }
  const int64_t begin_q = part.begin_q, count = part.end_q - part.begin_q;
  for (int64_t p = part.begin_p; p < part.end_p; ++p) {
    for (int64_t k = 0; k < radix; ++k) {
      T* __restrict out_re = to_re + stride * (radix * p + k) + begin_q;
      T* __restrict out_im = to_im + stride * (radix * p + k) + begin_q;
      for (int64_t j = 0; j < radix; ++j) {
        const Pair<T> root = roots[j * k % radix];
        const T* in_re = from_re + stride * (p + m * j) + begin_q;
        const T* in_im = from_im + stride * (p + m * j) + begin_q;
#pragma GCC ivdep
        for (int64_t q = 0; q < count; ++q) {
          const Pair<T> value = Pair<T>{in_re[q], in_im[q]} * root;
          out_re[q] = j == 0 ? value.re : out_re[q] + value.re;
          out_im[q] = j == 0 ? value.im : out_im[q] + value.im;
        }
      }
      if (k == 0) continue;
      const T* twiddle = twiddles + 2 * (p * (radix - 1) + k - 1);
      MultiplyLanes(count, out_re, out_im, twiddle[0], twiddle[1], out_re, out_im);
    }
  }
}

}  // namespace

template <typename T>
[[gnu::always_inline]] inline void AnyPass(int64_t radix, int64_t m, int64_t stride,
                                           const FftPart& part, const T* twiddles, const T* from_re,
                                           const T* from_im, T* to_re, T* to_im) {
  switch (radix) {
    case 2:
      return Pass<2>(m, stride, part, twiddles, from_re, from_im, to_re, to_im);
    case 3:
      return Pass<3>(m, stride, part, twiddles, from_re, from_im, to_re, to_im);
    case 4:
      return Pass<4>(m, stride, part, twiddles, from_re, from_im, to_re, to_im);
    case 5:
      return Pass<5>(m, stride, part, twiddles, from_re, from_im, to_re, to_im);
    default:
      return GeneralPass(radix, m, stride, part, twiddles, from_re, from_im, to_re, to_im);
  }
}

template <typename T>
void MultiplyLanes(int64_t lanes, const T* re, const T* im, T by_re, T by_im, T* to_re, T* to_im) {
#pragma GCC ivdep
  for (int64_t q = 0; q < lanes; ++q) {
    const Pair<T> value = Pair<T>{re[q], im[q]} * Pair<T>{by_re, by_im};
    to_re[q] = value.re;
    to_im[q] = value.im;
  }
}

#define ACCELD_FFT_PASSES(T)                                                                       \
  template <>                                                                                      \
  ACCELD_WIDE_VECTORS void RunFftPass<T>(int64_t radix, int64_t m, int64_t stride,                 \
                                         const FftPart& part, const T* twiddles, const T* from_re, \
                                         const T* from_im, T* to_re, T* to_im) {                   \
    AnyPass(radix, m, stride, part, twiddles, from_re, from_im, to_re, to_im);                     \
  }                                                                                                \
  template void MultiplyLanes<T>(int64_t, const T*, const T*, T, T, T*, T*);
ACCELD_FFT_PASSES(float)
ACCELD_FFT_PASSES(double)
#undef ACCELD_FFT_PASSES

}  // namespace acceld::kernels::cpu
