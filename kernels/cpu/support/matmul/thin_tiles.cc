#include "kernels/cpu/support/matmul/thin_tiles.h"

#include <algorithm>

namespace acceld::kernels::cpu {
namespace {

#define ACCELD_INLINE [[gnu::always_inline]] static inline

// As many elements of two bytes as a vector of kBytes bytes has of four. They need only their own
// alignment in memory.
template <int kBytes>
struct HalfVector;
template <>
struct HalfVector<16> {
  typedef uint16_t Type __attribute__((vector_size(8), aligned(2), may_alias));
};
template <>
struct HalfVector<32> {
  typedef uint16_t Type __attribute__((vector_size(16), aligned(2), may_alias));
};
template <>
struct HalfVector<64> {
  typedef uint16_t Type __attribute__((vector_size(32), aligned(2), may_alias));
};

// The functions for vectors of kBytes bytes. They use the instruction set of the callers that they
// are inlined into.
template <typename T, int kBytes>
struct Thin {
  // Elements of a vector need only their own alignment in memory.
  typedef float Vector __attribute__((vector_size(kBytes), aligned(alignof(float)), may_alias));
  typedef uint32_t Words __attribute__((vector_size(kBytes)));
  static constexpr int64_t kLanes = kBytes / static_cast<int64_t>(sizeof(float));
  static constexpr int64_t kLine = 64 / static_cast<int64_t>(sizeof(T));

  ACCELD_INLINE Vector& At(float* p) { return *reinterpret_cast<Vector*>(p); }
  ACCELD_INLINE void Load(const float* p, Vector& to) { to = *reinterpret_cast<const Vector*>(p); }
  ACCELD_INLINE void Load(const uint16_t* p, Vector& to) {
    const auto halves = *reinterpret_cast<const typename HalfVector<kBytes>::Type*>(p);
    to = reinterpret_cast<Vector>(__builtin_convertvector(halves, Words) << 16);
  }
  ACCELD_INLINE float Widen(float x) { return x; }
  ACCELD_INLINE float Widen(uint16_t bits) {
    const uint32_t word = static_cast<uint32_t>(bits) << 16;
    float x;
    __builtin_memcpy(&x, &word, sizeof(x));
    return x;
  }

  // A tile of kRows rows and kVectors vectors.
  template <int64_t kRows, int64_t kVectors>
  ACCELD_INLINE void Columns(int64_t depth, const float* lhs, const T* rhs, const T* ahead,
                             int64_t row_step, float* sums) {
    constexpr int64_t kWidth = kVectors * kLanes;
    Vector sum[kRows][kVectors];
#pragma GCC unroll 8
    for (int64_t i = 0; i < kRows; ++i) {
#pragma GCC unroll 8
      for (int64_t v = 0; v < kVectors; ++v) sum[i][v] = Vector{};
    }
    for (int64_t k = 0; k < depth; ++k, lhs += kRows, rhs += row_step, ahead += row_step) {
#pragma GCC unroll 8
      for (int64_t j = 0; j < kWidth; j += kLine) __builtin_prefetch(ahead + j);
      Vector right[kVectors];
#pragma GCC unroll 8
      for (int64_t v = 0; v < kVectors; ++v) Load(rhs + v * kLanes, right[v]);
#pragma GCC unroll 8
      for (int64_t i = 0; i < kRows; ++i) {
        const float left = lhs[i];
#pragma GCC unroll 8
        for (int64_t v = 0; v < kVectors; ++v) sum[i][v] += left * right[v];
      }
    }
#pragma GCC unroll 8
    for (int64_t i = 0; i < kRows; ++i) {
#pragma GCC unroll 8
      for (int64_t v = 0; v < kVectors; ++v) {
        At(sums + i * ThinTiles<T>::kMaxColumns + v * kLanes) += sum[i][v];
      }
    }
  }

  ACCELD_INLINE float Total(const Vector& x) {
    float lanes[kLanes];
    At(lanes) = x;
#pragma GCC unroll 4
    for (int64_t half = kLanes / 2; half > 0; half /= 2) {
#pragma GCC unroll 8
      for (int64_t i = 0; i < half; ++i) lanes[i] += lanes[i + half];
    }
    return lanes[0];
  }

  // Sums of kRows rows and kColumns columns.
  template <int64_t kRows, int64_t kColumns>
  ACCELD_INLINE void Dot(int64_t depth, const float* lhs, int64_t lhs_step, const T* rhs,
                         int64_t column_step, bool add, float* out, int64_t out_step) {
    Vector sum[kRows][kColumns];
#pragma GCC unroll 8
    for (int64_t i = 0; i < kRows; ++i) {
#pragma GCC unroll 8
      for (int64_t j = 0; j < kColumns; ++j) sum[i][j] = Vector{};
    }
    int64_t k = 0;
    for (; k + kLanes <= depth; k += kLanes) {
      Vector right[kColumns];
#pragma GCC unroll 8
      for (int64_t j = 0; j < kColumns; ++j) Load(rhs + j * column_step + k, right[j]);
#pragma GCC unroll 8
      for (int64_t i = 0; i < kRows; ++i) {
        Vector left;
        Load(lhs + i * lhs_step + k, left);
#pragma GCC unroll 8
        for (int64_t j = 0; j < kColumns; ++j) sum[i][j] += left * right[j];
      }
    }
#pragma GCC unroll 8
    for (int64_t i = 0; i < kRows; ++i) {
#pragma GCC unroll 8
      for (int64_t j = 0; j < kColumns; ++j) {
        float rest = add ? out[i * out_step + j] : 0;
        for (int64_t l = k; l < depth; ++l) {
          rest += lhs[i * lhs_step + l] * Widen(rhs[j * column_step + l]);
        }
        out[i * out_step + j] = Total(sum[i][j]) + rest;
      }
    }
  }

  template <int64_t kRows, int64_t kColumns>
  ACCELD_INLINE void DotsOf(int64_t depth, const float* lhs, int64_t lhs_step, const T* rhs,
                            int64_t column_step, int64_t count, bool add, float* out,
                            int64_t out_step) {
    int64_t j = 0;
    for (; j + kColumns <= count; j += kColumns) {
      Dot<kRows, kColumns>(depth, lhs, lhs_step, rhs + j * column_step, column_step, add, out + j,
                           out_step);
    }
    for (; j < count; ++j) {
      Dot<kRows, 1>(depth, lhs, lhs_step, rhs + j * column_step, column_step, add, out + j,
                    out_step);
    }
  }

  ACCELD_INLINE void Dots(int64_t rows, int64_t depth, const float* lhs, int64_t lhs_step,
                          const T* rhs, int64_t column_step, int64_t count, bool add, float* out,
                          int64_t out_step) {
    switch (rows) {
      case 1:
        return DotsOf<1, 8>(depth, lhs, lhs_step, rhs, column_step, count, add, out, out_step);
      case 2:
        return DotsOf<2, 4>(depth, lhs, lhs_step, rhs, column_step, count, add, out, out_step);
      case 3:
        return DotsOf<3, 4>(depth, lhs, lhs_step, rhs, column_step, count, add, out, out_step);
      default:
        return DotsOf<4, 4>(depth, lhs, lhs_step, rhs, column_step, count, add, out, out_step);
    }
  }
};

#undef ACCELD_INLINE

// Defines the functions, compiled for the instruction set `target`. The last arguments are the
// vectors of the widest tiles, for 1, 2, 4 and 8 rows: as many accumulators as there are registers.
#define ACCELD_THIN_TILES(Name, target, kBytes, kOf1, kOf2, kOf4, kOf8)                          \
  template <typename T, int64_t kRows, int64_t kVectors>                                         \
  target void Name##Columns(int64_t depth, const float* lhs, const T* rhs, const T* ahead,       \
                            int64_t row_step, float* sums) {                                     \
    Thin<T, kBytes>::template Columns<kRows, kVectors>(depth, lhs, rhs, ahead, row_step, sums);  \
  }                                                                                              \
  template <typename T>                                                                          \
  target void Name##Dots(int64_t rows, int64_t depth, const float* lhs, int64_t lhs_step,        \
                         const T* rhs, int64_t column_step, int64_t count, bool add, float* out, \
                         int64_t out_step) {                                                     \
    Thin<T, kBytes>::Dots(rows, depth, lhs, lhs_step, rhs, column_step, count, add, out,         \
                          out_step);                                                             \
  }                                                                                              \
  template <typename T>                                                                          \
  constexpr ThinTiles<T> k##Name{                                                                \
      kBytes / 4,                                                                                \
      {kOf1 * kBytes / 4, kOf2 * kBytes / 4, kOf4 * kBytes / 4, kOf8 * kBytes / 4},              \
      {{Name##Columns<T, 1, kOf1>, Name##Columns<T, 1, std::max(kOf1 / 2, 1)>,                   \
        Name##Columns<T, 1, std::max(kOf1 / 4, 1)>, Name##Columns<T, 1, 1>},                     \
       {Name##Columns<T, 2, kOf2>, Name##Columns<T, 2, std::max(kOf2 / 2, 1)>,                   \
        Name##Columns<T, 2, std::max(kOf2 / 4, 1)>, Name##Columns<T, 2, 1>},                     \
       {Name##Columns<T, 4, kOf4>, Name##Columns<T, 4, std::max(kOf4 / 2, 1)>,                   \
        Name##Columns<T, 4, 1>, Name##Columns<T, 4, 1>},                                         \
       {Name##Columns<T, 8, kOf8>, Name##Columns<T, 8, std::max(kOf8 / 2, 1)>,                   \
        Name##Columns<T, 8, 1>, Name##Columns<T, 8, 1>}},                                        \
      Name##Dots<T>};                                                                            \
  static_assert(kOf1 * kBytes / 4 <= ThinTiles<float>::kMaxColumns)

#if defined(__x86_64__)
ACCELD_THIN_TILES(ThinAvx512, [[gnu::target("avx512f,avx512vl,avx512dq,avx512bw,fma")]], 64, 8, 8,
                  4, 2);
ACCELD_THIN_TILES(ThinAvx2, [[gnu::target("avx2,fma")]], 32, 8, 4, 2, 1);
#endif
ACCELD_THIN_TILES(ThinBaseline, , 16, 8, 4, 2, 1);
#undef ACCELD_THIN_TILES

}  // namespace

template <typename T>
const ThinTiles<T>& ThinTilesOfThisCpu() {
  static const ThinTiles<T>& tiles = []() -> const ThinTiles<T>& {
#if defined(__x86_64__)
    const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    if (has_avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw")) {
      return kThinAvx512<T>;
    }
    if (has_avx2) return kThinAvx2<T>;
#endif
    return kThinBaseline<T>;
  }();
  return tiles;
}

template const ThinTiles<float>& ThinTilesOfThisCpu<float>();
template const ThinTiles<uint16_t>& ThinTilesOfThisCpu<uint16_t>();

}  // namespace acceld::kernels::cpu
