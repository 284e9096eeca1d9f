#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/tensor.h"
#include "client/tracing/tracer.h"

namespace acceld::client {
namespace {

// Returns `a` with its leading (batch) dimensions broadcast to `batch`.
Tensor WithBatch(const Tensor& a, absl::Span<const int64_t> batch) {
  ir::Dims dims(batch.begin(), batch.end());
  dims.insert(dims.end(), a.shape().end() - 2, a.shape().end());
  return BroadcastTo(a, dims);
}

}  // namespace

Tensor DotGeneral(const Tensor& a, const Tensor& b, const DotDimensions& dimensions) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of({a, b});
  if (tracer == nullptr) return Tracer::BadNumber();
  ir::DotGeneralAttributes attributes;
  attributes.dot_dimension_numbers = {.lhs_batching_dimensions = dimensions.lhs_batching,
                                      .rhs_batching_dimensions = dimensions.rhs_batching,
                                      .lhs_contracting_dimensions = dimensions.lhs_contracting,
                                      .rhs_contracting_dimensions = dimensions.rhs_contracting};
  return tracer->Emit(ir::OpKind::kDotGeneral, {a, b}, std::move(attributes));
}

Tensor MatMul(const Tensor& a, const Tensor& b) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of({a, b});
  if (tracer == nullptr) return Tracer::BadNumber();
  if (a.rank() == 0 || b.rank() == 0) {
    return tracer->Fail(
        ShapeError("MatMul", absl::StrCat("operands are ", a.type().ToString(), " and ",
                                          b.type().ToString(), "; expected at least rank 1")));
  }
  const bool row = a.rank() == 1, column = b.rank() == 1;
  const Tensor left = row ? ExpandDims(a, 0) : a;
  const Tensor right = column ? ExpandDims(b, 1) : b;
  absl::StatusOr<ir::Dims> batch =
      BroadcastShapes(absl::MakeConstSpan(left.shape()).first(left.rank() - 2),
                      absl::MakeConstSpan(right.shape()).first(right.rank() - 2));
  if (!batch.ok()) return tracer->Fail(Annotate(batch.status(), "MatMul"));
  const auto rank = static_cast<int64_t>(batch->size());
  DotDimensions dimensions{.lhs_contracting = {rank + 1}, .rhs_contracting = {rank}};
  for (int64_t axis = 0; axis < rank; ++axis) {
    dimensions.lhs_batching.push_back(axis);
    dimensions.rhs_batching.push_back(axis);
  }
  const Tensor product = DotGeneral(WithBatch(left, *batch), WithBatch(right, *batch), dimensions);
  if (!tracer->status().ok() || (!row && !column)) return product;
  ir::Dims dims = *batch;
  if (!row) dims.push_back(left.shape()[left.rank() - 2]);
  if (!column) dims.push_back(right.shape()[right.rank() - 1]);
  return Reshape(product, dims);
}

}  // namespace acceld::client
