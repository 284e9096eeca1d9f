#include <algorithm>
#include <cmath>
#include <limits>

#include "common/ir/interpreter/machine.h"
#include "common/ir/interpreter/tensor.h"

// Source: StableHLO specification, "cholesky" and "triangular_solve". Computed in complex f64 for
// every element type, and rounded once at the end.
namespace acceld::ir::interpreter {
namespace {

// Row-major.
struct Matrix {
  int64_t rows, columns;
  std::vector<Complex> values;

  Matrix(int64_t r, int64_t c) : rows(r), columns(c), values(r * c) {}
  Complex& At(int64_t r, int64_t c) { return values[r * columns + c]; }
  const Complex& At(int64_t r, int64_t c) const { return values[r * columns + c]; }
};

Matrix Read(const TensorView& tensor, int64_t item) {
  const Dims& dims = tensor.type().dims;
  Matrix out(dims[dims.size() - 2], dims[dims.size() - 1]);
  const auto elements = static_cast<int64_t>(out.values.size());
  for (int64_t i = 0; i < elements; ++i) out.values[i] = tensor.At(item * elements + i).complex;
  return out;
}

void Write(const Matrix& matrix, int64_t item, TensorBuilder& to) {
  const auto elements = static_cast<int64_t>(matrix.values.size());
  for (int64_t i = 0; i < elements; ++i) {
    to.Set(item * elements + i, OfComplex(matrix.values[i]));
  }
}

int64_t NumItems(const TensorType& type) {
  return NumElements(Dims(type.dims.begin(), type.dims.end() - 2));
}

Matrix Adjoint(const Matrix& a, bool conjugate = true) {
  Matrix out(a.columns, a.rows);
  for (int64_t r = 0; r < a.rows; ++r) {
    for (int64_t c = 0; c < a.columns; ++c) {
      out.At(c, r) = conjugate ? std::conj(a.At(r, c)) : a.At(r, c);
    }
  }
  return out;
}

// Returns the lower factor of the matrix in the lower triangle of `a`; all NaN if there is none.
Matrix LowerFactor(const Matrix& a) {
  Matrix l(a.rows, a.columns);
  for (int64_t r = 0; r < a.rows; ++r) {
    for (int64_t c = 0; c <= r; ++c) {
      Complex sum = a.At(r, c);
      for (int64_t k = 0; k < c; ++k) sum -= l.At(r, k) * std::conj(l.At(c, k));
      if (c < r) {
        l.At(r, c) = sum / l.At(c, c);
      } else if (sum.real() > 0) {
        l.At(r, c) = std::sqrt(sum.real());
      } else {
        constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
        std::fill(l.values.begin(), l.values.end(), Complex(kNan, kNan));
        return l;
      }
    }
  }
  return l;
}

// Returns X with A X = B, for a lower or upper triangular A.
Matrix SolveLeft(const Matrix& a, bool lower, bool unit_diagonal, Matrix b) {
  for (int64_t i = 0; i < a.rows; ++i) {
    const int64_t row = lower ? i : a.rows - 1 - i;
    for (int64_t column = 0; column < b.columns; ++column) {
      Complex sum = b.At(row, column);
      for (int64_t k = lower ? 0 : row + 1; k < (lower ? row : a.rows); ++k) {
        sum -= a.At(row, k) * b.At(k, column);
      }
      b.At(row, column) = unit_diagonal ? sum : sum / a.At(row, row);
    }
  }
  return b;
}

}  // namespace

// The other triangle of the result, which the specification leaves open, is zero.
EvalResult EvalCholesky(EvalContext& c) {
  const bool lower = c.As<CholeskyAttributes>().lower;
  const TensorView operand(c.operand(0));
  TensorBuilder result(c.result());
  if (c.result().num_elements() == 0) return OneResult(result.Finish());
  for (int64_t item = 0; item < NumItems(c.result()); ++item) {
    const Matrix a = Read(operand, item);
    ACCELD_RETURN_IF_ERROR(c.machine.Charge(a.rows * a.rows * a.rows));
    const Matrix factor = LowerFactor(lower ? a : Adjoint(a));
    Write(lower ? factor : Adjoint(factor), item, result);
  }
  return OneResult(result.Finish());
}

EvalResult EvalTriangularSolve(EvalContext& c) {
  const auto& attributes = c.As<TriangularSolveAttributes>();
  const TensorView a_view(c.operand(0)), b_view(c.operand(1));
  TensorBuilder result(c.result());
  if (c.result().num_elements() == 0) return OneResult(result.Finish());
  for (int64_t item = 0; item < NumItems(c.result()); ++item) {
    Matrix a = Read(a_view, item);
    const Matrix b = Read(b_view, item);
    ACCELD_RETURN_IF_ERROR(c.machine.Charge(a.rows * static_cast<int64_t>(b.values.size())));
    bool lower = attributes.lower;
    if (attributes.transpose_a != Transpose::kNoTranspose) {
      a = Adjoint(a, attributes.transpose_a == Transpose::kAdjoint);
      lower = !lower;
    }
    if (attributes.left_side) {
      Write(SolveLeft(a, lower, attributes.unit_diagonal, b), item, result);
      continue;
    }
    // X A = B is A^T X^T = B^T.
    const Matrix x =
        SolveLeft(Adjoint(a, false), !lower, attributes.unit_diagonal, Adjoint(b, false));
    Write(Adjoint(x, false), item, result);
  }
  return OneResult(result.Finish());
}

}  // namespace acceld::ir::interpreter
