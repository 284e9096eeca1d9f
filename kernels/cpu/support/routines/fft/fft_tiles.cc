#include "kernels/cpu/support/routines/fft/fft_tiles.h"

#include "kernels/cpu/support/routines/wide_vectors.h"

namespace acceld::kernels::cpu {
namespace {

// Rows are too far apart for the CPU's own prefetching. The row this many rows ahead is prefetched,
// into the second-level cache: the first-level one has few sets for addresses that are a power of
// two apart.
constexpr int64_t kRowsAhead = 32;

template <int for_writing, typename T>
[[gnu::always_inline]] inline void PrefetchRow(const T* row) {
  __builtin_prefetch(row, for_writing, 2);
  __builtin_prefetch(row + kFftLanes<T>, for_writing, 2);
}

template <typename T>
[[gnu::always_inline]] inline void Read(const T* from, int64_t rows, int64_t step, T* __restrict re,
                                        T* __restrict im) {
  for (int64_t j = 0; j < rows; ++j) {
    const T* const row = from + 2 * j * step;
    PrefetchRow<0>(row + 2 * kRowsAhead * step);
#pragma GCC ivdep
    for (int64_t q = 0; q < kFftLanes<T>; ++q) {
      re[j * kFftLanes<T> + q] = row[2 * q];
      im[j * kFftLanes<T> + q] = row[2 * q + 1];
    }
  }
}

template <typename T>
[[gnu::always_inline]] inline void Write(const T* re, const T* im, T scale, int64_t rows,
                                         int64_t step, T* __restrict to) {
  for (int64_t j = 0; j < rows; ++j) {
    T* const row = to + 2 * j * step;
    PrefetchRow<1>(row + 2 * kRowsAhead * step);
#pragma GCC ivdep
    for (int64_t q = 0; q < kFftLanes<T>; ++q) {
      row[2 * q] = re[j * kFftLanes<T> + q] * scale;
      row[2 * q + 1] = im[j * kFftLanes<T> + q] * scale;
    }
  }
}

template <typename T>
[[gnu::always_inline]] inline void ApplyTwiddles(const T* firsts, const T* lanes, bool inverse,
                                                 int64_t rows, T* __restrict re, T* __restrict im) {
  const T sign = inverse ? T(-1) : T(1);
  for (int64_t j = 0; j < rows; ++j) {
    const T first_re = firsts[2 * j], first_im = firsts[2 * j + 1];
    const T* const lane_re = lanes + 2 * j * kFftLanes<T>;
    const T* const lane_im = lane_re + kFftLanes<T>;
#pragma GCC ivdep
    for (int64_t q = 0; q < kFftLanes<T>; ++q) {
      const T by_re = first_re * lane_re[q] - first_im * lane_im[q];
      const T by_im = sign * (first_re * lane_im[q] + first_im * lane_re[q]);
      const T x = re[j * kFftLanes<T> + q], y = im[j * kFftLanes<T> + q];
      re[j * kFftLanes<T> + q] = x * by_re - y * by_im;
      im[j * kFftLanes<T> + q] = x * by_im + y * by_re;
    }
  }
}

}  // namespace

#define ACCELD_FFT_TILES(T)                                                                      \
  template <>                                                                                    \
  ACCELD_WIDE_VECTORS void ReadFftTile<T>(const T* from, int64_t rows, int64_t step, T* re,      \
                                          T* im) {                                               \
    Read(from, rows, step, re, im);                                                              \
  }                                                                                              \
  template <>                                                                                    \
  ACCELD_WIDE_VECTORS void WriteFftTile<T>(const T* re, const T* im, T scale, int64_t rows,      \
                                           int64_t step, T* to) {                                \
    Write(re, im, scale, rows, step, to);                                                        \
  }                                                                                              \
  template <>                                                                                    \
  ACCELD_WIDE_VECTORS void ApplyTwiddlesToFftTile<T>(const T* firsts, const T* lanes,            \
                                                     bool inverse, int64_t rows, T* re, T* im) { \
    ApplyTwiddles(firsts, lanes, inverse, rows, re, im);                                         \
  }
ACCELD_FFT_TILES(float)
ACCELD_FFT_TILES(double)
#undef ACCELD_FFT_TILES

}  // namespace acceld::kernels::cpu
