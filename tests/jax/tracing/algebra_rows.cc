#include "client/tracing/ops/linalg.h"
#include "tests/jax/tracing/table.h"

namespace acceld::client::table {
namespace {

// A positive definite matrix of any square one.
Tensor Definite(const Tensor& x) {
  return MatMul(x, SwapAxes(x, -1, -2)) + Eye(x.shape().back(), -1, 0, x.dtype());
}

}  // namespace

std::vector<Row> AlgebraRows() {
  return {
      ROW1(cholesky, linalg::Cholesky(Definite(x))),
      ROW2(solve_triangular, linalg::SolveTriangular(x, y)),
      ROW2(solve_triangular_right,
           linalg::SolveTriangular(x, y, {.lower = false, .left = false, .unit_diagonal = true})),
      ROW1(lu, linalg::Lu(x).first),
      ROW1(lu_wide, linalg::Lu(x)),
      ROW1(lu_tall, linalg::Lu(x)),
      ROW1(qr, linalg::Qr(x)),
      ROW1(qr_tall, linalg::Qr(x)),
      ROW1(eigh, linalg::Eigh(x)),
      MakeRow("svd",
              [](const Tensor& x) {
                const auto [u, s, vh] = linalg::Svd(x);
                return std::pair(s, MatMul(u * Square(ExpandDims(s, -2)), vh));
              }),
      MakeRow("svd_tall",
              [](const Tensor& x) {
                const auto [u, s, vh] = linalg::Svd(x);
                return std::pair(s, MatMul(u * Square(ExpandDims(s, -2)), vh));
              }),
      MakeRow("svd_wide",
              [](const Tensor& x) {
                const auto [u, s, vh] = linalg::Svd(x);
                return std::pair(s, MatMul(u * Square(ExpandDims(s, -2)), vh));
              }),
      ROW2(solve, linalg::Solve(x, y)),
      ROW2(solve_vector, linalg::Solve(x, y)),
      ROW1(inverse, linalg::Inv(x)),
      ROW1(determinant, linalg::Det(x)),
      ROW1(slogdet, linalg::SlogDet(x)),
      ROW1(gamma, random::Gamma(random::Key(7), x)),
      ROW1(log_gamma, random::LogGamma(random::Key(7), x)),
      ROW2(beta, random::Beta(random::Key(7), x, y)),
      ROW1(dirichlet, random::Dirichlet(random::Key(7), x)),
      ROW1(student_t, random::StudentT(random::Key(7), x)),
      ROW1(norm, linalg::Norm(x, {1})),
      ROW1(trace, linalg::Trace(x, 1)),
      ROW2(cross, linalg::Cross(x, y)),
      ROW1(matrix_power, std::pair(linalg::MatrixPower(x, 5), linalg::MatrixPower(x, -2))),
      ROW1(fft, fft::Fft(x, 0)),
      ROW1(ifft, fft::Ifft(x)),
      ROW1(rfft, fft::Rfft(x)),
      ROW1(irfft, fft::Irfft(x, 5)),
      ROW1(fft2, fft::Fft2(x)),
      ROW1(fft_of_complex, fft::Fft(x)),
  };
}

}  // namespace acceld::client::table
