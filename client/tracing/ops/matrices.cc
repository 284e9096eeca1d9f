// Triangles and diagonals of matrices.

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "client/tracing/ops/arithmetic.h"
#include "client/tracing/ops/reductions.h"
#include "client/tracing/ops/shapes.h"
#include "client/tracing/tracer.h"

namespace acceld::client {
namespace {

bool IsMatrix(Tracer& tracer, absl::string_view operation, const Tensor& a) {
  if (a.rank() >= 2) return true;
  tracer.Fail(operation, absl::StrCat(a.type().ToString(), " is no matrix"));
  return false;
}

// column - row of each element of a matrix of the shape of `a`.
Tensor DiagonalNumbers(const Tensor& a) {
  const ir::TensorType type{ir::DType::kI32, {a.shape().end() - 2, a.shape().end()}};
  return Iota(type, 1) - Iota(type, 0);
}

}  // namespace

Tensor Tril(const Operand& a, int64_t k) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of(a);
  if (tracer == nullptr || !IsMatrix(*tracer, "Tril", a)) return a;
  return Where(DiagonalNumbers(a) <= k, a, ZerosLike(a));
}

Tensor Triu(const Operand& a, int64_t k) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of(a);
  if (tracer == nullptr || !IsMatrix(*tracer, "Triu", a)) return a;
  return Where(DiagonalNumbers(a) >= k, a, ZerosLike(a));
}

Tensor Diagonal(const Operand& a, int64_t k) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of(a);
  if (tracer == nullptr || !IsMatrix(*tracer, "Diagonal", a)) return a;
  const int64_t rows = a.shape()[a.shape().size() - 2], columns = a.shape().back();
  const int64_t row = std::max<int64_t>(-k, 0), column = std::max<int64_t>(k, 0);
  const int64_t size = std::max<int64_t>(std::min(rows - row, columns - column), 0);
  // The square whose main diagonal it is: one element of each row is kept.
  const Tensor square =
      SliceInDim(SliceInDim(a, std::min(row, rows), std::min(row, rows) + size, -2),
                 std::min(column, columns), std::min(column, columns) + size, -1);
  if (!tracer->status().ok()) return square;
  return Sum(Where(DiagonalNumbers(square) == 0, square, ZerosLike(square)), {-1});
}

Tensor Diag(const Operand& a) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of(a);
  if (tracer == nullptr) return Tracer::BadNumber();
  if (a.rank() != 1) {
    return tracer->Fail("Diag", absl::StrCat(a.type().ToString(), " is no vector"));
  }
  const ir::Dims dims = {a.size(), a.size()};
  const Tensor rows = BroadcastTo(ExpandDims(a, 1), dims);
  return Where(DiagonalNumbers(rows) == 0, rows, ZerosLike(rows));
}

}  // namespace acceld::client
