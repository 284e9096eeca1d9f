#include <algorithm>
#include <cmath>

#include "kernels/cpu/support/routines/fft_plan.h"
#include "kernels/cpu/support/routines/fft_split.h"
#include "kernels/cpu/support/routines/routine_run.h"

// StableHLO specification, "fft": one pass over the data for each transformed dimension.
namespace acceld::kernels::cpu {
namespace {

enum Kind : int64_t { kForward = 0, kInverse = 1, kRealToComplex = 2, kComplexToReal = 3 };

// Elements that a group of sequences transformed together should have, to stay in a cache.
constexpr int64_t kGroupElements = 1 << 14;
// From this length on sequences are cut into shorter ones.
constexpr int64_t kLongLength = 1 << 16;

// Transforms along one dimension: sequence s, element j is at (s / inner * length + j) * inner +
// s % inner of both sides, complex values as re, im. A side that is real, or half of a spectrum,
// says so by its length.
template <typename T>
struct Axis {
  int64_t length;     // of the transform
  int64_t sequences;  // all together
  int64_t inner;      // elements between neighbours of a sequence
  bool inverse;
  T scale;
  const T* from;
  int64_t from_length;
  bool from_real;
  T* to;
  int64_t to_length;
  bool to_real;
};

// Where sequence s begins on a side that has `length` elements of each.
template <typename T>
int64_t BeginOf(const Axis<T>& axis, int64_t s, int64_t length) {
  return s / axis.inner * length * axis.inner + s % axis.inner;
}

// Element j of the sequence that begins there. What a half spectrum leaves out is the conjugate of
// what it has; the imaginary parts of the first and, of even lengths, the last are not read.
template <typename T, typename Computed>
[[gnu::always_inline]] inline void Read(const Axis<T>& axis, int64_t begin, int64_t j, Computed& re,
                                        Computed& im) {
  if (axis.from_real) {
    re = axis.from[begin + j * axis.inner];
    im = 0;
    return;
  }
  const bool is_mirrored = j >= axis.from_length;
  const int64_t at = begin + (is_mirrored ? axis.length - j : j) * axis.inner;
  re = axis.from[2 * at];
  im = is_mirrored ? -axis.from[2 * at + 1] : axis.from[2 * at + 1];
  const bool is_hermitian = axis.from_length < axis.length || axis.to_real;
  if (is_hermitian && (j == 0 || 2 * j == axis.length)) im = 0;
}

// Leaves out what half a spectrum does.
template <typename T, typename Computed>
[[gnu::always_inline]] inline void Write(const Axis<T>& axis, int64_t begin, int64_t j, Computed re,
                                         Computed im) {
  if (j >= axis.to_length) return;
  const int64_t at = begin + j * axis.inner;
  const auto scale = static_cast<Computed>(axis.scale);
  if (axis.to_real) {
    axis.to[at] = static_cast<T>(re * scale);
  } else {
    axis.to[2 * at] = static_cast<T>(re * scale);
    axis.to[2 * at + 1] = static_cast<T>(im * scale);
  }
}

// `lanes` sequences of a plan's length, and what it takes to transform them.
template <typename T>
class Group {
 public:
  Group(const FftPlan<T>& plan, int64_t length, int64_t lanes)
      : plan_(plan),
        lanes_(lanes),
        values_(2 * length * lanes),
        scratch_(plan.ScratchElements(lanes)),
        imaginary_(length * lanes) {}

  // Element j of lane q.
  T& re(int64_t j, int64_t q) { return values_[j * lanes_ + q]; }
  T& im(int64_t j, int64_t q) { return values_[imaginary_ + j * lanes_ + q]; }
  void Transform(bool inverse) {
    T* const re = values_.data();
    T* const im = re + imaginary_;
    plan_.Run(lanes_, inverse ? im : re, inverse ? re : im, scratch_.data());
  }

 private:
  const FftPlan<T>& plan_;
  const int64_t lanes_;
  std::vector<T> values_, scratch_;
  const int64_t imaginary_;
};

double WorkOf(int64_t length, int64_t lanes) {
  return 5.0 * static_cast<double>(length * lanes) * (1 + std::log2(static_cast<double>(length)));
}

template <typename T, typename Computed>
absl::Status TransformIn(const RoutineRun& run, const Axis<T>& axis) {
  const auto plan = FftPlan<Computed>::Find(axis.length);
  const int64_t least = axis.inner == 1 ? 1 : 4;
  const int64_t lanes = std::clamp<int64_t>(kGroupElements / axis.length, least, 16);
  const int64_t groups = (axis.sequences + lanes - 1) / lanes;
  return run.ForEach(groups, WorkOf(axis.length, lanes), [&](int64_t group) {
    const int64_t first = group * lanes;
    const int64_t count = std::min(lanes, axis.sequences - first);
    Group<Computed> values(*plan, axis.length, count);
    for (int64_t q = 0; q < count; ++q) {
      const int64_t begin = BeginOf(axis, first + q, axis.from_length);
      for (int64_t j = 0; j < axis.length; ++j) {
        Read(axis, begin, j, values.re(j, q), values.im(j, q));
      }
    }
    values.Transform(axis.inverse);
    for (int64_t q = 0; q < count; ++q) {
      const int64_t begin = BeginOf(axis, first + q, axis.to_length);
      for (int64_t j = 0; j < axis.to_length; ++j) {
        Write(axis, begin, j, values.re(j, q), values.im(j, q));
      }
    }
    return absl::OkStatus();
  });
}

// Sequences that no near cache holds, each as a matrix of which the columns and then the rows are
// transformed, for several threads. Source: Bailey, FFTs in External or Hierarchical Memory, the
// four-step algorithm.
template <typename T>
absl::Status TransformLong(const RoutineRun& run, const Axis<T>& axis) {
  constexpr int64_t kLanes = 64 / sizeof(T);
  const auto split = FftSplit<T>::Find(axis.length);
  const int64_t rows = split->rows(), columns = split->columns();
  const auto plan_of_columns = FftPlan<T>::Find(rows), plan_of_rows = FftPlan<T>::Find(columns);
  // Element (row, column) of the transformed columns is at column * rows + row.
  std::vector<T> between(2 * axis.length);
  T* const between_re = between.data();
  T* const between_im = between_re + axis.length;
  for (int64_t s = 0; s < axis.sequences; ++s) {
    const int64_t from = BeginOf(axis, s, axis.from_length);
    const int64_t to = BeginOf(axis, s, axis.to_length);
    ACCELD_RETURN_IF_ERROR(
        run.ForEach((columns + kLanes - 1) / kLanes, WorkOf(rows, kLanes), [&](int64_t group) {
          const int64_t first = group * kLanes, count = std::min(kLanes, columns - first);
          Group<T> values(*plan_of_columns, rows, count);
          for (int64_t j = 0; j < rows; ++j) {
            for (int64_t q = 0; q < count; ++q) {
              Read(axis, from, j * columns + first + q, values.re(j, q), values.im(j, q));
            }
          }
          values.Transform(axis.inverse);
          for (int64_t j = 0; j < rows; ++j) {
            const int64_t at = j * columns + first;
            split->Turn(at, count, axis.inverse, &values.re(j, 0), &values.im(j, 0));
          }
          for (int64_t q = 0; q < count; ++q) {
            for (int64_t j = 0; j < rows; ++j) {
              between_re[(first + q) * rows + j] = values.re(j, q);
              between_im[(first + q) * rows + j] = values.im(j, q);
            }
          }
          return absl::OkStatus();
        }));
    ACCELD_RETURN_IF_ERROR(
        run.ForEach((rows + kLanes - 1) / kLanes, WorkOf(columns, kLanes), [&](int64_t group) {
          const int64_t first = group * kLanes, count = std::min(kLanes, rows - first);
          Group<T> values(*plan_of_rows, columns, count);
          for (int64_t j = 0; j < columns; ++j) {
            for (int64_t q = 0; q < count; ++q) {
              values.re(j, q) = between_re[j * rows + first + q];
              values.im(j, q) = between_im[j * rows + first + q];
            }
          }
          values.Transform(axis.inverse);
          for (int64_t j = 0; j < columns; ++j) {
            for (int64_t q = 0; q < count; ++q) {
              Write(axis, to, j * rows + first + q, values.re(j, q), values.im(j, q));
            }
          }
          return absl::OkStatus();
        }));
  }
  return absl::OkStatus();
}

template <typename T>
absl::Status Transform(const RoutineRun& run, const Axis<T>& axis) {
  // The detour over longer transforms loses digits: it is taken in double.
  if (FftPlan<T>::IsChirp(axis.length)) return TransformIn<T, double>(run, axis);
  if (axis.length >= kLongLength) return TransformLong(run, axis);
  return TransformIn<T, T>(run, axis);
}

template <typename T>
absl::Status RunTyped(const RoutineRun& run) {
  const int64_t kind = run.parameters[0], rank = run.parameters[1];
  const RoutineBuffer& from = run.operands[0];
  const RoutineBuffer& to = run.results[0];
  // Sizes of the spectrum and of what it is the spectrum of differ only in the last dimension.
  const std::vector<int64_t>& lengths = kind == kComplexToReal ? to.dims : from.dims;
  const auto last = static_cast<int64_t>(lengths.size()) - 1;
  int64_t sequences = 1;
  for (int64_t d = 0; d < last; ++d) sequences *= lengths[d];
  if (sequences * lengths[last] == 0) return absl::OkStatus();
  const bool inverse = kind == kInverse || kind == kComplexToReal;
  double elements = 1;
  for (int64_t d = last - rank + 1; d <= last; ++d) elements *= static_cast<double>(lengths[d]);

  const T* in = reinterpret_cast<const T*>(from.data);
  T* out = reinterpret_cast<T*>(to.data);
  const auto last_axis = [&](const T* source) {
    return Axis<T>{lengths[last],
                   sequences,
                   1,
                   inverse,
                   inverse ? static_cast<T>(1 / elements) : T(1),
                   source,
                   from.dims[last],
                   kind == kRealToComplex,
                   out,
                   to.dims[last],
                   kind == kComplexToReal};
  };
  // The other dimensions, complex on both sides, from `source` to `target`.
  const std::vector<int64_t>& complex_dims = kind == kComplexToReal ? from.dims : to.dims;
  const auto other_axes = [&](const T* source, T* target) -> absl::Status {
    int64_t inner = complex_dims[last];
    for (int64_t d = last - 1; d > last - rank; --d) {
      const int64_t length = lengths[d];
      const Axis<T> axis{length, sequences / length * complex_dims[last],
                         inner,  inverse,
                         T(1),   source,
                         length, false,
                         target, length,
                         false};
      ACCELD_RETURN_IF_ERROR(Transform(run, axis));
      source = target;
      inner *= length;
    }
    return absl::OkStatus();
  };
  if (kind == kComplexToReal && rank > 1) {
    std::vector<T> spectrum(2 * sequences * from.dims[last]);
    ACCELD_RETURN_IF_ERROR(other_axes(in, spectrum.data()));
    return Transform(run, last_axis(spectrum.data()));
  }
  ACCELD_RETURN_IF_ERROR(Transform(run, last_axis(in)));
  return other_axes(out, out);
}

}  // namespace

absl::Status RunFft(const RoutineRun& run) {
  return ir::RealPartOf(run.dtype()) == ir::DType::kF64 ? RunTyped<double>(run)
                                                        : RunTyped<float>(run);
}

}  // namespace acceld::kernels::cpu
