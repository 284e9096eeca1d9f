#include "kernels/cpu/support/routines/blocked/micro_kernels.h"

#include <cmath>

namespace acceld::kernels::cpu {
namespace {

#define ACCELD_INLINE [[gnu::always_inline]] static inline

// A tile of kRows rows and kVectors vectors of kBytes bytes: as many accumulators as hide the
// latency of a fused multiply-add and fit into the registers. The functions use the instruction set
// of the callers that they are inlined into.
template <typename T, int kBytes, int64_t kRows, int64_t kVectors>
struct Tile {
  // Elements of a vector need only T's alignment in memory.
  typedef T Vector __attribute__((vector_size(kBytes), aligned(alignof(T)), may_alias));
  static constexpr int64_t kLanes = kBytes / static_cast<int64_t>(sizeof(T));
  static constexpr int64_t kColumns = kVectors * kLanes;
  using Accumulators = Vector[kRows][kVectors];

  ACCELD_INLINE Vector& At(T* p) { return *reinterpret_cast<Vector*>(p); }
  ACCELD_INLINE const Vector& At(const T* p) { return *reinterpret_cast<const Vector*>(p); }

  // Computes the sum of `depth` products. It is added up separately from the value that it is
  // subtracted from, as that is often larger, so that every product would be rounded more.
  ACCELD_INLINE void AddProducts(int64_t depth, const T* a, int64_t row_step, int64_t depth_step,
                                 const T* b, int64_t b_step, Accumulators& sum) {
#pragma GCC unroll 8
    for (int64_t i = 0; i < kRows; ++i) {
#pragma GCC unroll 8
      for (int64_t v = 0; v < kVectors; ++v) sum[i][v] = Vector{};
    }
    for (int64_t k = 0; k < depth; ++k) {
      Vector right[kVectors];
#pragma GCC unroll 8
      for (int64_t v = 0; v < kVectors; ++v) right[v] = At(b + v * kLanes);
#pragma GCC unroll 8
      for (int64_t i = 0; i < kRows; ++i) {
        const T left = a[i * row_step];
#pragma GCC unroll 8
        for (int64_t v = 0; v < kVectors; ++v) sum[i][v] += left * right[v];
      }
      a += depth_step;
      b += b_step;
    }
  }

  ACCELD_INLINE void SubtractFrom(T* c, int64_t step, const Accumulators& sum) {
#pragma GCC unroll 8
    for (int64_t i = 0; i < kRows; ++i) {
#pragma GCC unroll 8
      for (int64_t v = 0; v < kVectors; ++v) At(c + i * step + v * kLanes) -= sum[i][v];
    }
  }

  ACCELD_INLINE void SubtractProduct(int64_t depth, const T* a, int64_t a_step, const T* b, T* c,
                                     int64_t c_step) {
#pragma GCC unroll 8
    for (int64_t i = 0; i < kRows; ++i) __builtin_prefetch(c + i * c_step, 1);
    Accumulators sum;
    AddProducts(depth, a, 1, a_step, b, kColumns, sum);
    SubtractFrom(c, c_step, sum);
  }

  ACCELD_INLINE void SubtractPlainProduct(int64_t depth, const T* a, int64_t a_step, const T* b,
                                          int64_t b_step, T* c, int64_t c_step) {
    Accumulators sum;
    AddProducts(depth, a, a_step, 1, b, b_step, sum);
    SubtractFrom(c, c_step, sum);
  }

  ACCELD_INLINE void SolveStrip(int64_t depth, const T* a, int64_t a_step, const T* triangle,
                                bool unit, T* b) {
    T* const own = b + depth * kColumns;
    Accumulators solved;
    AddProducts(depth, a, 1, a_step, b, kColumns, solved);
#pragma GCC unroll 8
    for (int64_t k = 0; k < kRows; ++k) {
#pragma GCC unroll 8
      for (int64_t v = 0; v < kVectors; ++v) {
        solved[k][v] = At(own + k * kColumns + v * kLanes) - solved[k][v];
        if (!unit) solved[k][v] /= triangle[k * kRows + k];
        At(own + k * kColumns + v * kLanes) = solved[k][v];
      }
#pragma GCC unroll 8
      for (int64_t i = k + 1; i < kRows; ++i) {
        const T left = triangle[k * kRows + i];
#pragma GCC unroll 8
        for (int64_t v = 0; v < kVectors; ++v) solved[i][v] += left * solved[k][v];
      }
    }
  }

  ACCELD_INLINE int64_t FactorTriangle(T* triangle) {
    typedef T Column
        __attribute__((vector_size(kRows * sizeof(T)), aligned(alignof(T)), may_alias));
    Column* const columns = reinterpret_cast<Column*>(triangle);
    for (int64_t k = 0; k < kRows; ++k) {
      const T square = triangle[k * kRows + k];
      if (square <= 0) return k;
      const T diagonal = std::sqrt(square);
      columns[k] /= diagonal;
      triangle[k * kRows + k] = diagonal;
      for (int64_t j = k + 1; j < kRows; ++j) columns[j] -= triangle[k * kRows + j] * columns[k];
    }
    return kRows;
  }

  ACCELD_INLINE int64_t IndexOfLargest(int64_t count, const T* values) {
    // The type of comparisons of vectors: integers of T's size.
    using Index = decltype(Vector{} > Vector{});
    Vector largest = {};
    Index at = {}, current;
    for (int64_t lane = 0; lane < kLanes; ++lane) current[lane] = static_cast<int>(lane);
    for (int64_t j = 0; j < count; j += kLanes, current += static_cast<int>(kLanes)) {
      const Vector value = At(values + j), magnitude = value < 0 ? -value : value;
      const Index is_larger = magnitude > largest;
      largest = is_larger ? magnitude : largest;
      at = is_larger ? current : at;
    }
    // If all values of a lane are 0 or NaN, its index is that of the first value.
    int64_t found = 0;
    T best = std::abs(values[0]);
    for (int64_t lane = 0; lane < kLanes; ++lane) {
      if (largest[lane] > best || (largest[lane] == best && at[lane] < found)) {
        best = largest[lane];
        found = at[lane];
      }
    }
    return found;
  }

  ACCELD_INLINE void Scale(int64_t count, T factor, T* values) {
    for (int64_t j = 0; j < count; j += kLanes) At(values + j) *= factor;
  }

  ACCELD_INLINE void SubtractMultiple(int64_t count, T factor, const T* from, T* to) {
    for (int64_t j = 0; j < count; j += kLanes) At(to + j) -= factor * At(from + j);
  }
};

#undef ACCELD_INLINE

// Defines the functions of a tile, compiled for the instruction set `target`.
#define ACCELD_MICRO_KERNELS(Name, target, kBytes, kRows, kVectors)                                \
  template <typename T>                                                                            \
  struct Name {                                                                                    \
    using Of = Tile<T, kBytes, kRows, kVectors>;                                                   \
    target static void SubtractProduct(int64_t depth, const T* a, int64_t a_step, const T* b,      \
                                       T* c, int64_t c_step) {                                     \
      Of::SubtractProduct(depth, a, a_step, b, c, c_step);                                         \
    }                                                                                              \
    target static void SubtractPlainProduct(int64_t depth, const T* a, int64_t a_step, const T* b, \
                                            int64_t b_step, T* c, int64_t c_step) {                \
      Of::SubtractPlainProduct(depth, a, a_step, b, b_step, c, c_step);                            \
    }                                                                                              \
    target static void SolveStrip(int64_t depth, const T* a, int64_t a_step, const T* triangle,    \
                                  bool unit, T* b) {                                               \
      Of::SolveStrip(depth, a, a_step, triangle, unit, b);                                         \
    }                                                                                              \
    target static int64_t FactorTriangle(T* triangle) { return Of::FactorTriangle(triangle); }     \
    target static int64_t IndexOfLargest(int64_t count, const T* values) {                         \
      return Of::IndexOfLargest(count, values);                                                    \
    }                                                                                              \
    target static void Scale(int64_t count, T factor, T* values) {                                 \
      Of::Scale(count, factor, values);                                                            \
    }                                                                                              \
    target static void SubtractMultiple(int64_t count, T factor, const T* from, T* to) {           \
      Of::SubtractMultiple(count, factor, from, to);                                               \
    }                                                                                              \
    static constexpr MicroKernels<T> kTable{                                                       \
        kRows,          Of::kColumns,   SubtractProduct, SubtractPlainProduct, SolveStrip,         \
        FactorTriangle, IndexOfLargest, Scale,           SubtractMultiple};                        \
    static_assert(kRows <= MicroKernels<T>::kMaxRows);                                             \
    static_assert(Of::kColumns <= MicroKernels<T>::kMaxColumns);                                   \
  };

#if defined(__x86_64__)
ACCELD_MICRO_KERNELS(Avx512, [[gnu::target("avx512f,avx512vl,avx512dq,fma")]], 64, 8, 2)
ACCELD_MICRO_KERNELS(Avx2, [[gnu::target("avx2,fma")]], 32, 4, 3)
#endif
ACCELD_MICRO_KERNELS(Baseline, , 16, 4, 2)
#undef ACCELD_MICRO_KERNELS

}  // namespace

template <typename T>
const MicroKernels<T>& MicroKernelsOf() {
#if defined(__x86_64__)
  static const MicroKernels<T>& best =
      __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
              __builtin_cpu_supports("avx512dq")
          ? Avx512<T>::kTable
      : __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? Avx2<T>::kTable
                                                                        : Baseline<T>::kTable;
  return best;
#else
  return Baseline<T>::kTable;
#endif
}

template const MicroKernels<float>& MicroKernelsOf<float>();
template const MicroKernels<double>& MicroKernelsOf<double>();

}  // namespace acceld::kernels::cpu
