#include <algorithm>
#include <cmath>

#include "kernels/cpu/support/routines/fft_axis.h"
#include "kernels/cpu/support/routines/fft_plan.h"
#include "kernels/cpu/support/routines/routine_run.h"
#include "kernels/cpu/support/scratchpad.h"

// StableHLO specification, "fft": one pass over the data for each transformed dimension.
namespace acceld::kernels::cpu {
namespace {

enum Kind : int64_t { kForward = 0, kInverse = 1, kRealToComplex = 2, kComplexToReal = 3 };

// Elements that a group of sequences transformed together should have, to stay in a cache.
constexpr int64_t kGroupElements = 1 << 14;
// From this length on sequences are cut into shorter ones.
constexpr int64_t kLongLength = 1 << 16;

// `lanes` sequences of a plan's length, in memory that the thread keeps: there is one at a time.
template <typename T>
class Group {
 public:
  Group(const FftPlan<T>& plan, int64_t length, int64_t lanes) : plan_(plan), lanes_(lanes) {
    thread_local Scratchpad memory;
    memory_ = &memory;
    const int64_t size = length * lanes;
    T* const values = ReserveElements<T>(memory, 2 * size + plan.ScratchElements(lanes));
    parts_ = {values, values + size};
    scratch_ = values + 2 * size;
  }
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;
  ~Group() { memory_->Trim(); }

  // Element j of lane q.
  T& re(int64_t j, int64_t q) { return parts_.re[j * lanes_ + q]; }
  T& im(int64_t j, int64_t q) { return parts_.im[j * lanes_ + q]; }
  void Transform(bool inverse) {
    parts_ =
        inverse ? plan_.RunInverse(lanes_, parts_, scratch_) : plan_.Run(lanes_, parts_, scratch_);
  }

 private:
  const FftPlan<T>& plan_;
  const int64_t lanes_;
  Scratchpad* memory_;
  typename FftPlan<T>::Parts parts_;
  T* scratch_;
};

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
