#include <algorithm>
#include <cmath>

#include "kernels/cpu/support/routines/fft_plan.h"
#include "kernels/cpu/support/routines/routine_run.h"

// StableHLO specification, "fft": one pass over the data for each transformed dimension.
namespace acceld::kernels::cpu {
namespace {

enum Kind : int64_t { kForward = 0, kInverse = 1, kRealToComplex = 2, kComplexToReal = 3 };

// Elements that a group of sequences transformed together should have, to stay in a cache.
constexpr int64_t kGroupElements = 1 << 14;

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

// Sequences [first, first + lanes) as lanes. What a half spectrum leaves out is the conjugate of
// what it has; the imaginary parts of the first and, of even lengths, the last are not read.
template <typename T, typename Computed>
void Gather(const Axis<T>& axis, int64_t first, int64_t lanes, Computed* re, Computed* im) {
  const bool half = axis.from_length < axis.length && !axis.from_real;
  const bool hermitian = half || axis.to_real;
  for (int64_t q = 0; q < lanes; ++q) {
    const int64_t s = first + q;
    const int64_t base = s / axis.inner * axis.from_length * axis.inner + s % axis.inner;
    for (int64_t j = 0; j < axis.from_length; ++j) {
      const int64_t at = base + j * axis.inner;
      if (axis.from_real) {
        re[j * lanes + q] = axis.from[at];
        im[j * lanes + q] = 0;
        continue;
      }
      re[j * lanes + q] = axis.from[2 * at];
      im[j * lanes + q] = axis.from[2 * at + 1];
    }
    if (!hermitian) continue;
    im[q] = 0;
    if (axis.length % 2 == 0) im[axis.length / 2 * lanes + q] = 0;
    for (int64_t j = axis.from_length; j < axis.length; ++j) {
      re[j * lanes + q] = re[(axis.length - j) * lanes + q];
      im[j * lanes + q] = -im[(axis.length - j) * lanes + q];
    }
  }
}

template <typename T, typename Computed>
void Scatter(const Axis<T>& axis, int64_t first, int64_t lanes, const Computed* re,
             const Computed* im) {
  const auto scale = static_cast<Computed>(axis.scale);
  for (int64_t q = 0; q < lanes; ++q) {
    const int64_t s = first + q;
    const int64_t base = s / axis.inner * axis.to_length * axis.inner + s % axis.inner;
    for (int64_t j = 0; j < axis.to_length; ++j) {
      const int64_t at = base + j * axis.inner;
      if (axis.to_real) {
        axis.to[at] = static_cast<T>(re[j * lanes + q] * scale);
        continue;
      }
      axis.to[2 * at] = static_cast<T>(re[j * lanes + q] * scale);
      axis.to[2 * at + 1] = static_cast<T>(im[j * lanes + q] * scale);
    }
  }
}

template <typename T, typename Computed>
absl::Status TransformIn(const RoutineRun& run, const Axis<T>& axis) {
  const auto plan = FftPlan<Computed>::Find(axis.length);
  const int64_t least = axis.inner == 1 ? 1 : 4;
  const int64_t lanes = std::clamp<int64_t>(kGroupElements / axis.length, least, 16);
  const double work = 5.0 * static_cast<double>(axis.length * lanes) *
                      (1 + std::log2(static_cast<double>(axis.length)));
  return run.ForEach((axis.sequences + lanes - 1) / lanes, work, [&](int64_t group) {
    const int64_t first = group * lanes;
    const int64_t count = std::min(lanes, axis.sequences - first);
    std::vector<Computed> values(2 * axis.length * count);
    std::vector<Computed> scratch(plan->ScratchElements(count));
    Computed* re = values.data();
    Computed* im = re + axis.length * count;
    Gather(axis, first, count, re, im);
    plan->Run(count, axis.inverse ? im : re, axis.inverse ? re : im, scratch.data());
    Scatter(axis, first, count, re, im);
    return absl::OkStatus();
  });
}

template <typename T>
absl::Status Transform(const RoutineRun& run, const Axis<T>& axis) {
  // The detour over longer transforms loses digits: it is taken in double.
  return FftPlan<T>::IsChirp(axis.length) ? TransformIn<T, double>(run, axis)
                                          : TransformIn<T, T>(run, axis);
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
