#pragma once

#include "common/status.h"
#include "kernels/cpu/support/routines/lapack.h"

// QR factorizations and products with their Q, cut into pieces of LAPACK's own block algorithm with
// a poll between them; columns of what is multiplied are shared out among threads. How they are cut
// follows from the sizes alone, and so results do not depend on the number of threads. Matrices are
// column-major; a Q of k reflectors is Q = H_1 ... H_k, with reflector j below the diagonal of
// column j and its factor in tau[j]. Errors: CANCELLED, RESOURCE_EXHAUSTED; std::bad_alloc is
// thrown.
namespace acceld::kernels::cpu {

using lapack::Int;

enum class Side { kLeft, kRight };

// A = Q R of m x n elements: R above, the min(m, n) reflectors below the diagonal.
template <typename T>
absl::Status FactorQr(const RoutineRun& run, Int m, Int n, T* a, T* tau);

// C := Q C or C Q for c of m x n elements, or with Q^H. `v` has the reflectors, k at most as many
// as the rows that they have, `ldv` apart.
template <typename T>
absl::Status ApplyQ(const RoutineRun& run, Side side, bool adjoint, Int m, Int n, Int k, const T* v,
                    Int ldv, const T* tau, T* c, Int ldc);

// The first n columns of Q, m >= n >= k, in place of its reflectors.
template <typename T>
absl::Status FormQ(const RoutineRun& run, Int m, Int n, Int k, T* a, const T* tau);

}  // namespace acceld::kernels::cpu
