#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/cpu/support/routines/routine_run.h"

namespace acceld::kernels::cpu {

// A plan for discrete Fourier transforms of one length: a mixed-radix Stockham algorithm for
// lengths with prime factors up to 13, Bluestein's chirp transform for others. Several sequences,
// called lanes, are transformed at the same time and stored next to each other, so that the inner
// loops can be vectorized. Real and imaginary parts are in separate arrays. Immutable and
// thread-safe. Source: Van Loan, Computational Frameworks for the Fast Fourier Transform, sections
// 1.7 and 4.2.
template <typename T>
class FftPlan {
 public:
  // Find returns a plan for `length` from a small process-wide table, or makes it; Make always
  // makes one. Both return CANCELLED if the run has to end, and throw std::bad_alloc when memory
  // runs out.
  static absl::StatusOr<std::shared_ptr<const FftPlan>> Find(const RoutineRun& run, int64_t length);
  static absl::StatusOr<std::shared_ptr<const FftPlan>> Make(const RoutineRun& run, int64_t length);
  // Returns whether transforms of this length use Bluestein's algorithm, which computes longer
  // transforms.
  static bool UsesBluestein(int64_t length);

  // The number of elements of scratch that Run needs.
  int64_t ScratchElements(int64_t lanes) const;
  // The addresses of the real and the imaginary parts of an array.
  struct Parts {
    T* re;
    T* im;
  };
  // Computes result[k] = sum over j of x[j] exp(-2 pi i j k / length) for each lane. Element j of
  // lane q is at j * lanes + q of both parts. Returns where the result is: at `x`, which is
  // overwritten in any case, or in `scratch`. Runs on the calling thread. Returns CANCELLED if the
  // run has to end.
  absl::StatusOr<Parts> Run(const RoutineRun& run, int64_t lanes, Parts x, T* scratch) const;
  // The same with exp(2 pi i j k / length): the inverse transform, without scaling.
  absl::StatusOr<Parts> RunInverse(const RoutineRun& run, int64_t lanes, Parts x,
                                   T* scratch) const {
    ACCELD_ASSIGN_OR_RETURN(const Parts exchanged, Run(run, lanes, {x.im, x.re}, scratch));
    return Parts{exchanged.im, exchanged.re};
  }

  // The number of elements in the plan's tables, for FftTable.
  int64_t table_elements() const;

 private:
  // A pass: `radix` elements at distances of m become elements of m shorter transforms.
  struct Stage {
    int64_t radix, m;
    std::vector<T>
        twiddles;  // for p < m, k in 1..radix - 1: re, im of exp(-2 pi i p k / (radix m))
  };

  explicit FftPlan(int64_t length) : length_(length) {}

  absl::Status FillStages(const RoutineRun& run);
  absl::Status FillChirp(const RoutineRun& run);
  absl::StatusOr<Parts> RunStages(const RoutineRun& run, int64_t lanes, Parts x, T* scratch) const;
  // Computes one stage from `x` to `to`, in pieces with polls.
  static absl::Status RunStage(const RoutineRun& run, const Stage& stage, int64_t stride, Parts x,
                               Parts to);
  absl::StatusOr<Parts> RunChirp(const RoutineRun& run, int64_t lanes, Parts x, T* scratch) const;

  int64_t length_;
  std::vector<Stage> stages_;
  // For Bluestein's algorithm: the plan of the longer (padded) transforms, the chirp exp(-pi i j^2
  // / length), and the kernel, which is the padded transform of the chirp's conjugate divided by
  // the padded length.
  std::shared_ptr<const FftPlan> padded_;
  std::vector<T> chirp_re_, chirp_im_, kernel_re_, kernel_im_;
};

}  // namespace acceld::kernels::cpu
