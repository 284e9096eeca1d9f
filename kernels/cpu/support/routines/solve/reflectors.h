#pragma once

#include "common/status.h"
#include "kernels/cpu/support/routines/lapack.h"

// QR factorizations and products with their Q. The work is divided into pieces of LAPACK's own
// block algorithm, with a poll between them; threads share the columns or rows of the matrix that
// is multiplied. The division depends on the sizes alone, so that results do not depend on the
// number of threads. Matrices are column-major. A Q of k Householder reflectors is Q = H_1 ... H_k;
// reflector j is below the diagonal of column j, and its factor in tau[j]. The functions block
// until they are done. Errors: CANCELLED, RESOURCE_EXHAUSTED; std::bad_alloc is thrown.
namespace acceld::kernels::cpu {

using lapack::Int;

// The side that a matrix is multiplied on.
enum class Side { kLeft, kRight };

// Factors A = Q R of m x n elements. R replaces the upper triangle of A, the min(m, n) reflectors
// the part below the diagonal.
template <typename T>
absl::Status FactorQr(const RoutineRun& run, Int m, Int n, T* a, T* tau);

// Computes C := Q C or C Q for `c` of m x n elements, or with Q^H if `adjoint`. `v` has the k
// reflectors, in columns at a distance of `ldv`. k is at most the number of rows of `v`.
template <typename T>
absl::Status ApplyQ(const RoutineRun& run, Side side, bool adjoint, Int m, Int n, Int k, const T* v,
                    Int ldv, const T* tau, T* c, Int ldc);

// Replaces the k reflectors in `a` by the first n columns of Q, where m >= n >= k.
template <typename T>
absl::Status FormQ(const RoutineRun& run, Int m, Int n, Int k, T* a, const T* tau);

}  // namespace acceld::kernels::cpu
