#include <algorithm>
#include <cmath>

#include "common/ceil_divide.h"
#include "kernels/cpu/support/routines/fft/fft_axis.h"
#include "kernels/cpu/support/routines/fft/fft_plan.h"
#include "kernels/cpu/support/routines/routine_run.h"
#include "kernels/cpu/support/routines/work_array.h"
#include "kernels/cpu/support/scratchpad.h"

// StableHLO specification, "fft": one pass over the data for each transformed dimension.
namespace acceld::kernels::cpu {
namespace {

enum Kind : int64_t { kForward = 0, kInverse = 1, kRealToComplex = 2, kComplexToReal = 3 };

// The number of elements to aim at for a group of sequences that is transformed together, so that
// it stays in a cache.
constexpr int64_t kGroupElements = 1 << 14;
// From this length on, sequences are divided into shorter ones (TransformByFourSteps).
constexpr int64_t kLongLength = 1 << 16;
// The elements that are read or written between two polls.
constexpr int64_t kPolledElements = 1 << 16;

// A group of `lanes` sequences that are transformed together. Its memory is kept by the thread, so
// that there may be only one group at a time.
template <typename T>
class Group {
 public:
  Group(const RoutineRun& run, const FftPlan<T>& plan, int64_t lanes)
      : run_(run), plan_(plan), lanes_(lanes) {}

  // Allocates the group's memory. To be called first.
  absl::Status Allocate(int64_t length) {
    thread_local Scratchpad memory;
    const int64_t size = length * lanes_;
    const int64_t elements = 2 * size + plan_.ScratchElements(lanes_);
    T* values = nullptr;
    if (elements <= kMaxKeptElements) {
      values = ReserveElements<T>(memory, elements);
    } else {
      ACCELD_ASSIGN_OR_RETURN(large_, run_.Allocate(elements * static_cast<int64_t>(sizeof(T))));
      values = static_cast<T*>(large_.get());
    }
    parts_ = {values, values + size};
    scratch_ = values + 2 * size;
    return absl::OkStatus();
  }

  // Element j of lane q is at j * lanes + q.
  T* re() const { return parts_.re; }
  T* im() const { return parts_.im; }
  absl::Status Transform(bool inverse) {
    ACCELD_ASSIGN_OR_RETURN(parts_, inverse ? plan_.RunInverse(run_, lanes_, parts_, scratch_)
                                            : plan_.Run(run_, lanes_, parts_, scratch_));
    return absl::OkStatus();
  }

 private:
  static constexpr int64_t kMaxKeptElements = int64_t{1} << 22;

  const RoutineRun& run_;
  const FftPlan<T>& plan_;
  const int64_t lanes_;
  std::shared_ptr<void> large_;  // memory of groups that are too large for the thread to keep
  typename FftPlan<T>::Parts parts_;
  T* scratch_;
};

// Read and write the elements [first, end) of the sequences from `sequence` on.
template <typename T, typename Computed>
[[gnu::noinline]] void ReadLanes(const Axis<T>& axis, int64_t sequence, int64_t lanes,
                                 int64_t first, int64_t end, Computed* re, Computed* im) {
  for (int64_t q = 0; q < lanes; ++q) {
    const int64_t begin = BeginOf(axis, sequence + q, axis.from_length);
    for (int64_t j = first; j < end; ++j) {
      Read(axis, begin, j, re[j * lanes + q], im[j * lanes + q]);
    }
  }
}
template <typename T, typename Computed>
[[gnu::noinline]] void WriteLanes(const Axis<T>& axis, int64_t sequence, int64_t lanes,
                                  int64_t first, int64_t end, const Computed* re,
                                  const Computed* im) {
  for (int64_t q = 0; q < lanes; ++q) {
    const int64_t begin = BeginOf(axis, sequence + q, axis.to_length);
    for (int64_t j = first; j < end; ++j) {
      Write(axis, begin, j, re[j * lanes + q], im[j * lanes + q]);
    }
  }
}

// Calls `move(first, end)` for ranges that cover [0, length), with polls.
template <typename Move>
absl::Status InParts(const RoutineRun& run, int64_t length, Move move) {
  for (int64_t first = 0; first < length; first += kPolledElements) {
    if (first > 0) ACCELD_RETURN_IF_ERROR(run.Poll());
    move(first, std::min(length, first + kPolledElements));
  }
  return absl::OkStatus();
}

template <typename T, typename Computed>
absl::Status TransformIn(const RoutineRun& run, const Axis<T>& axis) {
  ACCELD_ASSIGN_OR_RETURN(const auto plan, FftPlan<Computed>::Find(run, axis.length));
  const int64_t least = axis.inner == 1 ? 1 : 4;
  const int64_t lanes = std::clamp<int64_t>(kGroupElements / axis.length, least, 16);
  const int64_t groups = CeilDivide(axis.sequences, lanes);
  return run.ForEach(groups, WorkOf(axis.length, lanes), [&](int64_t group) -> absl::Status {
    const int64_t first = group * lanes;
    const int64_t count = std::min(lanes, axis.sequences - first);
    Group<Computed> values(run, *plan, count);
    ACCELD_RETURN_IF_ERROR(values.Allocate(axis.length));
    ACCELD_RETURN_IF_ERROR(InParts(run, axis.length, [&](int64_t begin, int64_t end) {
      ReadLanes(axis, first, count, begin, end, values.re(), values.im());
    }));
    ACCELD_RETURN_IF_ERROR(values.Transform(axis.inverse));
    return InParts(run, axis.to_length, [&](int64_t begin, int64_t end) {
      WriteLanes(axis, first, count, begin, end, values.re(), values.im());
    });
  });
}

template <typename T>
absl::Status Transform(const RoutineRun& run, const Axis<T>& axis) {
  // Bluestein's algorithm by longer transforms loses accuracy, so it computes in double.
  if (FftPlan<T>::UsesBluestein(axis.length)) return TransformIn<T, double>(run, axis);
  if (axis.length >= kLongLength) return TransformByFourSteps(run, axis);
  return TransformIn<T, T>(run, axis);
}

template <typename T>
absl::Status RunTyped(const RoutineRun& run) {
  const int64_t kind = run.parameters[0], rank = run.parameters[1];
  const RoutineBuffer& from = run.operands[0];
  const RoutineBuffer& to = run.results[0];
  // The sizes of the spectrum and of the real array differ only in the last dimension.
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
  // Transforms the other dimensions, which are complex on both sides, from `source` to `target`.
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
    ACCELD_ASSIGN_OR_RETURN(const WorkArray<T> spectrum,
                            WorkArray<T>::Make(run, 2 * sequences * from.dims[last]));
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
