#pragma once

#include <cstdint>

#include "common/status.h"
#include "kernels/cpu/support/routines/blocked/panels.h"
#include "kernels/cpu/support/routines/routine_run.h"

// Factorizations and solves of real matrices (float and double) in blocks. Nearly all of the work
// is products of blocks that are in the caches, which the threads of the context share. How a
// matrix is divided depends on its size alone, so that results do not depend on the number of
// threads. The functions work in place, on row-major matrices, and block until they are done.
// Errors: CANCELLED when the run has to end; std::bad_alloc is thrown when memory runs out.
namespace acceld::kernels::cpu {

// Computes the Cholesky factor of A = L L^T in the lower triangle, or of A = U^T U in the upper
// one. The other triangle is neither read nor written. Returns LAPACK's info: 0, or the order of
// the first leading minor that is not positive, in which case the matrix is only partly factored.
// All elements that depend on a NaN of the diagonal become NaN.
template <typename T>
absl::StatusOr<int32_t> BlockedCholesky(const RoutineRun& run, bool lower, int64_t n, T* a);

// Computes A = P L U of a matrix of m x n elements with partial pivoting, as LAPACK's getrf does.
// `pivots` gets min(m, n) row numbers, counted from 1. Returns LAPACK's info: 0, or the number of
// the first step whose pivot is 0.
template <typename T>
absl::StatusOr<int32_t> BlockedLu(const RoutineRun& run, int64_t m, int64_t n, T* a,
                                  int32_t* pivots);

// Solves L X = B for `sides` columns of B. L is `lower`, an n x n matrix whose upper triangle is
// not read; with `unit` its diagonal counts as 1. X may overwrite B.
template <typename T>
absl::Status BlockedForwardSolve(const RoutineRun& run, MatrixView<const T> lower, bool unit,
                                 int64_t n, int64_t sides, MatrixView<const T> b, MatrixView<T> x);

}  // namespace acceld::kernels::cpu
