#pragma once

#include <cstdint>

namespace acceld::kernels::cpu {

// The part of a pass (RunFftPass) with p in [begin_p, end_p) and q in [begin_q, end_q).
struct FftPart {
  int64_t begin_p, end_p, begin_q, end_q;
};

// Computes a part of one pass of a Stockham transform. For p < m and q < stride, the elements a_j
// at q + stride (p + m j) of `from`, j < radix, become
//   to[q + stride (radix p + k)] = w_p^k * sum over j of a_j exp(-2 pi i j k / radix)
// The factor w_p^k, for k >= 1, is at 2 (p (radix - 1) + k - 1) of `twiddles`, as re, im. The radix
// is 4 or a prime up to 13. `from` and `to` are disjoint. The results do not depend on how a pass
// is divided into parts.
template <typename T>
void RunFftPass(int64_t radix, int64_t m, int64_t stride, const FftPart& part, const T* twiddles,
                const T* from_re, const T* from_im, T* to_re, T* to_im);

// Computes (to_re, to_im) = (re, im) * (by_re, by_im) for `lanes` complex values. Source and
// destination are equal or disjoint.
template <typename T>
void MultiplyLanes(int64_t lanes, const T* re, const T* im, T by_re, T by_im, T* to_re, T* to_im);

}  // namespace acceld::kernels::cpu
