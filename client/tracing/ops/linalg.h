#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "client/tracing/tensor.h"

// Linear algebra of matrices in the last two dimensions, and Fourier transforms. Values and
// derivatives are those of jax.numpy.linalg and jax.numpy.fft; matrices are of f32, f64 or complex
// numbers. Where a decomposition does not exist its elements are NaN.
namespace acceld::client::linalg {

// The lower triangular L with L L^H = a, for positive definite matrices. Reads (a + a^H) / 2.
Tensor Cholesky(const Operand& a);
// The solution x of a x = b for a triangular matrix, or of x a = b if not `left`. Only the triangle
// is read, with ones on the diagonal if `unit_diagonal`.
struct TriangularOptions {
  bool lower = true;
  bool left = true;
  bool transpose = false;  // takes a^T for a
  bool unit_diagonal = false;
};
Tensor SolveTriangular(const Operand& a, const Operand& b, const TriangularOptions& options = {});

// LU decomposition with row pivoting: rows `permutation` of a are L U. L, without its ones, and U
// are in one matrix.
std::pair<Tensor, Tensor> Lu(const Operand& a);
// q with orthonormal columns and r upper triangular, with q r = a: as many columns as the smaller
// dimension.
std::pair<Tensor, Tensor> Qr(const Operand& a);
// Eigenvalues, ascending, and eigenvectors as columns, of Hermitian matrices. Reads (a + a^H) / 2.
std::pair<Tensor, Tensor> Eigh(const Operand& a);
// u, the singular values, descending, and v^H, with u diag(s) v^H = a: as many as the smaller
// dimension.
struct SvdResult {
  Tensor u, s, vh;
};
SvdResult Svd(const Operand& a);

// The solution x of a x = b for square matrices; b is a vector, or columns.
Tensor Solve(const Operand& a, const Operand& b);
Tensor Inv(const Operand& a);
Tensor Det(const Operand& a);
// The sign of the determinant, and the logarithm of its absolute value.
std::pair<Tensor, Tensor> SlogDet(const Operand& a);
// The sum of the k-th diagonal.
Tensor Trace(const Operand& a, int64_t k = 0);
// The product of vectors of three elements, along the last axis, which is at right angles to both.
Tensor Cross(const Operand& a, const Operand& b);
// The root of the sum of squares along `axes`, or of all elements.
Tensor Norm(const Operand& a, const Axes& axes = {}, bool keep_dims = false);
// a^n for square matrices; n may be negative.
Tensor MatrixPower(const Operand& a, int64_t n);

}  // namespace acceld::client::linalg

namespace acceld::client::fft {

// Discrete Fourier transforms along one axis. Real elements are taken for complex ones.
Tensor Fft(const Operand& a, int64_t axis = -1);
Tensor Ifft(const Operand& a, int64_t axis = -1);
// Of real elements to the first half of the result, and back to `size` elements (0: 2 (n - 1)).
Tensor Rfft(const Operand& a, int64_t axis = -1);
Tensor Irfft(const Operand& a, int64_t size = 0, int64_t axis = -1);
// Along the last two axes.
Tensor Fft2(const Operand& a);
Tensor Ifft2(const Operand& a);

}  // namespace acceld::client::fft
