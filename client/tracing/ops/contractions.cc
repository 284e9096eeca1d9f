#include "client/tracing/ops/contractions.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/tracing/ops/arithmetic.h"
#include "client/tracing/ops/reductions.h"
#include "client/tracing/ops/shapes.h"
#include "client/tracing/tracer.h"
#include "common/ir/einsum.h"

namespace acceld::client {
namespace {

// Returns `a` with its leading (batch) dimensions broadcast to `batch`.
Tensor WithBatch(const Tensor& a, absl::Span<const int64_t> batch) {
  ir::Dims dims(batch.begin(), batch.end());
  dims.insert(dims.end(), a.shape().end() - 2, a.shape().end());
  return BroadcastTo(a, dims);
}

}  // namespace

Tensor DotGeneral(const Operand& a, const Operand& b, const DotDimensions& dimensions) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of(a, b);
  if (tracer == nullptr) return Tracer::BadNumber();
  ir::DotGeneralAttributes attributes;
  attributes.dot_dimension_numbers = {.lhs_batching_dimensions = dimensions.lhs_batching,
                                      .rhs_batching_dimensions = dimensions.rhs_batching,
                                      .lhs_contracting_dimensions = dimensions.lhs_contracting,
                                      .rhs_contracting_dimensions = dimensions.rhs_contracting};
  return tracer->Emit(ir::OpKind::kDotGeneral, {a, b}, std::move(attributes));
}

Tensor MatMul(const Operand& a, const Operand& b) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of(a, b);
  if (tracer == nullptr) return Tracer::BadNumber();
  if (a.rank() == 0 || b.rank() == 0) {
    return tracer->Fail("MatMul", absl::StrCat("operands are ", a.type().ToString(), " and ",
                                               b.type().ToString(), "; expected at least rank 1"));
  }
  const bool row = a.rank() == 1, column = b.rank() == 1;
  const Tensor left = row ? ExpandDims(a, 0) : a.tensor();
  const Tensor right = column ? ExpandDims(b, 1) : b.tensor();
  if (left.shape().back() != right.shape()[right.shape().size() - 2]) {
    return tracer->Fail("MatMul",
                        absl::StrCat("the rows of ", ShapeText(a.shape()), " and the columns of ",
                                     ShapeText(b.shape()), " have different sizes"));
  }
  absl::StatusOr<ir::Dims> batch =
      BroadcastShapes("MatMul", absl::MakeConstSpan(left.shape()).first(left.rank() - 2),
                      absl::MakeConstSpan(right.shape()).first(right.rank() - 2));
  if (!batch.ok()) return tracer->Fail(batch.status());
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

namespace {

// 0, 1, ... count - 1, from `first` on.
Axes Counted(int64_t first, int64_t count) {
  Axes axes(static_cast<size_t>(count));
  std::iota(axes.begin(), axes.end(), first);
  return axes;
}

using Labels = ir::EinsumLabels::Labels;

bool Has(const Labels& labels, int label) {
  return std::find(labels.begin(), labels.end(), label) != labels.end();
}

// An operand of an Einstein summation: a tensor with a label for each axis.
struct Labelled {
  Tensor tensor;
  Labels labels;
};

// Takes the diagonal of axes with one label, and sums over those whose label is not in `kept`.
Labelled Reduced(Labelled x, const Labels& kept) {
  for (size_t i = 0; i < x.labels.size(); ++i) {
    for (size_t j = i + 1; j < x.labels.size();) {
      if (x.labels[j] != x.labels[i]) {
        ++j;
        continue;
      }
      const ir::TensorType type{ir::DType::kI32, x.tensor.shape()};
      const Tensor is_diagonal =
          Iota(type, static_cast<int64_t>(i)) == Iota(type, static_cast<int64_t>(j));
      x.tensor = Sum(Where(is_diagonal, x.tensor, ZerosLike(x.tensor)), {static_cast<int64_t>(j)});
      x.labels.erase(x.labels.begin() + static_cast<int64_t>(j));
    }
  }
  Axes summed;
  Labels rest;
  for (size_t i = 0; i < x.labels.size(); ++i) {
    if (Has(kept, x.labels[i])) {
      rest.push_back(x.labels[i]);
    } else {
      summed.push_back(static_cast<int64_t>(i));
    }
  }
  if (summed.empty()) return x;
  return {Sum(x.tensor, summed), rest};
}

// Contracts two operands over the labels that both have and `kept` lacks.
Labelled Contracted(const Labelled& a, const Labelled& b, const Labels& kept) {
  DotDimensions dimensions;
  Labels batching, result;
  for (size_t i = 0; i < a.labels.size(); ++i) {
    const auto in_b = std::find(b.labels.begin(), b.labels.end(), a.labels[i]);
    if (in_b == b.labels.end()) {
      result.push_back(a.labels[i]);
      continue;
    }
    const bool is_batch = Has(kept, a.labels[i]);
    if (is_batch) batching.push_back(a.labels[i]);
    (is_batch ? dimensions.lhs_batching : dimensions.lhs_contracting)
        .push_back(static_cast<int64_t>(i));
    (is_batch ? dimensions.rhs_batching : dimensions.rhs_contracting)
        .push_back(in_b - b.labels.begin());
  }
  for (const int label : b.labels) {
    if (!Has(a.labels, label)) result.push_back(label);
  }
  result.insert(result.begin(), batching.begin(), batching.end());
  return {DotGeneral(a.tensor, b.tensor, dimensions), result};
}

}  // namespace

Tensor Dot(const Operand& a, const Operand& b) {
  if (a.rank() == 0 || b.rank() == 0) return a * b;
  if (b.rank() == 1) return MatMul(a, b);
  return DotGeneral(a, b, {.lhs_contracting = {a.rank() - 1}, .rhs_contracting = {b.rank() - 2}});
}

Tensor Inner(const Operand& a, const Operand& b) {
  if (a.rank() == 0 || b.rank() == 0) return a * b;
  return DotGeneral(a, b, {.lhs_contracting = {a.rank() - 1}, .rhs_contracting = {b.rank() - 1}});
}

Tensor Vdot(const Operand& a, const Operand& b) { return Dot(Conj(Ravel(a)), Ravel(b)); }

Tensor Outer(const Operand& a, const Operand& b) {
  return ExpandDims(Ravel(a), 1) * ExpandDims(Ravel(b), 0);
}

Tensor Tensordot(const Operand& a, const Operand& b, const Axes& a_axes, const Axes& b_axes) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of(a, b);
  if (tracer == nullptr) return Tracer::BadNumber();
  const absl::StatusOr<Axes> left = NormalAxes("Tensordot", a_axes, a.rank());
  if (!left.ok()) return tracer->Fail(left.status());
  const absl::StatusOr<Axes> right = NormalAxes("Tensordot", b_axes, b.rank());
  if (!right.ok()) return tracer->Fail(right.status());
  return DotGeneral(a, b, {.lhs_contracting = *left, .rhs_contracting = *right});
}

Tensor Tensordot(const Operand& a, const Operand& b, int64_t axes) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of(a, b);
  if (tracer == nullptr) return Tracer::BadNumber();
  if (axes < 0 || axes > a.rank() || axes > b.rank()) {
    return tracer->Fail("Tensordot", absl::StrCat(axes, " axes of ", ShapeText(a.shape()), " and ",
                                                  ShapeText(b.shape())));
  }
  return Tensordot(a, b, Counted(a.rank() - axes, axes), Counted(0, axes));
}

Tensor Kron(const Operand& a, const Operand& b) {
  const int64_t rank = std::max(a.rank(), b.rank());
  const auto padded = [&](const Operand& x) {
    ir::Dims dims(static_cast<size_t>(rank - x.rank()), 1);
    dims.insert(dims.end(), x.shape().begin(), x.shape().end());
    return dims;
  };
  const ir::Dims left = padded(a), right = padded(b);
  ir::Dims of_a, of_b, joined;
  for (size_t i = 0; i < left.size(); ++i) {
    of_a.insert(of_a.end(), {left[i], 1});
    of_b.insert(of_b.end(), {1, right[i]});
    joined.push_back(left[i] * right[i]);
  }
  return Reshape(Reshape(a, of_a) * Reshape(b, of_b), joined);
}

Tensor Einsum(absl::string_view labels, const Operands& operands) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of(operands);
  if (tracer == nullptr) return Tracer::BadNumber();
  std::vector<int64_t> ranks;
  for (const Tensor& operand : operands.tensors()) ranks.push_back(operand.rank());
  const absl::StatusOr<ir::EinsumLabels> read = ir::ReadEinsum(labels, ranks);
  if (!read.ok()) return tracer->Fail(Annotate(read.status(), "Einsum"));
  std::vector<Labelled> left;
  for (size_t i = 0; i < operands.size(); ++i) {
    left.push_back({tracer->InTrace(operands[i]), read->operands[i]});
  }
  // What is summed over must not be needed by an operand that comes later.
  const auto kept_after = [&](size_t next) {
    Labels kept = read->result;
    for (size_t i = next; i < left.size(); ++i) {
      kept.insert(kept.end(), left[i].labels.begin(), left[i].labels.end());
    }
    return kept;
  };
  Labelled result = Reduced(left[0], kept_after(1));
  for (size_t i = 1; i < left.size() && tracer->status().ok(); ++i) {
    Labels needed = kept_after(i + 1), with_result = needed;
    with_result.insert(with_result.end(), result.labels.begin(), result.labels.end());
    const Labelled next = Reduced(left[i], with_result);
    result = Contracted(result, next, needed);
  }
  if (!tracer->status().ok()) return result.tensor;
  Axes order;
  for (const int label : read->result) {
    order.push_back(std::find(result.labels.begin(), result.labels.end(), label) -
                    result.labels.begin());
  }
  return order.empty() ? result.tensor : Transpose(result.tensor, order);
}

}  // namespace acceld::client
