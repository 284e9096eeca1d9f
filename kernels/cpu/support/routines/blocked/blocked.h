#pragma once

#include <cstdint>

#include "common/status.h"
#include "kernels/cpu/support/routines/blocked/panels.h"
#include "kernels/cpu/support/routines/routine_run.h"

// Factorizations and solves of real matrices, float and double, in blocks: nearly all of the work
// is products of blocks that are in cache, which the threads of the context share. How a matrix is
// cut depends on its size alone, and so results do not depend on the number of threads. In place,
// on row-major matrices. Errors: CANCELLED; std::bad_alloc is thrown.
namespace acceld::kernels::cpu {

// A = L L^T in the lower triangle, or U^T U in the upper one; the other triangle is neither read
// nor written. Returns LAPACK's info: 0, or the order of the first leading minor that is not
// positive, and the matrix is then half done. From a NaN on the diagonal on, all is NaN.
template <typename T>
absl::StatusOr<int32_t> BlockedCholesky(const RoutineRun& run, bool lower, int64_t n, T* a);

// A = P L U of a matrix of m x n elements with partial pivoting: what LAPACK's getrf gives.
// `pivots` are min(m, n) rows, counted from 1. Returns its info: 0, or the number of the first step
// whose pivot is 0.
template <typename T>
absl::StatusOr<int32_t> BlockedLu(const RoutineRun& run, int64_t m, int64_t n, T* a,
                                  int32_t* pivots);

// L X = B for `sides` columns of B; `lower` is n x n, its other triangle not read. X may be where B
// is.
template <typename T>
absl::Status BlockedForwardSolve(const RoutineRun& run, MatrixView<const T> lower, bool unit,
                                 int64_t n, int64_t sides, MatrixView<const T> b, MatrixView<T> x);

}  // namespace acceld::kernels::cpu
