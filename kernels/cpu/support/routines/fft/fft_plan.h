#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/cpu/support/routines/routine_run.h"

namespace acceld::kernels::cpu {

// How to compute discrete Fourier transforms of one length: a mixed-radix Stockham algorithm for
// lengths with prime factors up to 13, Bluestein's chirp transform for others. Several sequences
// are transformed side by side as lanes, so that the inner loops are vectors. Real and imaginary
// parts are apart. Immutable, thread-safe. Source: Van Loan, Computational Frameworks for the Fast
// Fourier Transform, sections 1.7 and 4.2.
template <typename T>
class FftPlan {
 public:
  // From a small table of plans made before. CANCELLED; std::bad_alloc when memory is short.
  static absl::StatusOr<std::shared_ptr<const FftPlan>> Find(const RoutineRun& run, int64_t length);
  static absl::StatusOr<std::shared_ptr<const FftPlan>> Make(const RoutineRun& run, int64_t length);
  // Whether a transform of this length goes through a longer one.
  static bool IsChirp(int64_t length);

  // Elements of scratch that Run needs.
  int64_t ScratchElements(int64_t lanes) const;
  // Where real and imaginary parts are.
  struct Parts {
    T* re;
    T* im;
  };
  // result[k] = sum over j of x[j] exp(-2 pi i j k / length); element j of lane q is at
  // j * lanes + q of both parts. The result is where `x` was, which is overwritten in any case, or
  // in `scratch`. CANCELLED.
  absl::StatusOr<Parts> Run(const RoutineRun& run, int64_t lanes, Parts x, T* scratch) const;
  // The same with exp(2 pi i j k / length): the inverse, not scaled.
  absl::StatusOr<Parts> RunInverse(const RoutineRun& run, int64_t lanes, Parts x,
                                   T* scratch) const {
    ACCELD_ASSIGN_OR_RETURN(const Parts exchanged, Run(run, lanes, {x.im, x.re}, scratch));
    return Parts{exchanged.im, exchanged.re};
  }

  int64_t table_elements() const;

 private:
  // One pass: `radix` elements m apart become the elements of m shorter transforms.
  struct Stage {
    int64_t radix, m;
    std::vector<T>
        twiddles;  // for p < m, k in 1..radix - 1: re, im of exp(-2 pi i p k / (radix m))
  };

  explicit FftPlan(int64_t length) : length_(length) {}

  absl::Status FillStages(const RoutineRun& run);
  absl::Status FillChirp(const RoutineRun& run);
  absl::StatusOr<Parts> RunStages(const RoutineRun& run, int64_t lanes, Parts x, T* scratch) const;
  // One stage, in pieces with polls.
  static absl::Status RunStage(const RoutineRun& run, const Stage& stage, int64_t stride, Parts x,
                               Parts to);
  absl::StatusOr<Parts> RunChirp(const RoutineRun& run, int64_t lanes, Parts x, T* scratch) const;

  int64_t length_;
  std::vector<Stage> stages_;
  // For Bluestein's algorithm: the chirp exp(-pi i j^2 / length), and the transform of its
  // conjugate over the padded length, scaled by the inverse of that.
  std::shared_ptr<const FftPlan> padded_;
  std::vector<T> chirp_re_, chirp_im_, kernel_re_, kernel_im_;
};

}  // namespace acceld::kernels::cpu
