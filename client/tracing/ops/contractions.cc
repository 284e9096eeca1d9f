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

// The tensor with its axes in the order of `labels`, all of its own.
Tensor Arranged(const Labelled& x, const Labels& labels) {
  if (x.labels == labels) return x.tensor;
  Axes order;
  for (const int label : labels) {
    order.push_back(std::find(x.labels.begin(), x.labels.end(), label) - x.labels.begin());
  }
  return Transpose(x.tensor, order);
}

// The labels of a product of matrices: of its rows, its columns, what is summed over, and the first
// of its batch dimensions.
constexpr int kRow = 0, kColumn = 1, kSummed = 2, kBatch = 3;

// An operand of MatMul, whose last axes have the labels `matrix`. Batch dimensions of size 1 that
// the result does not have are left out: it is the same for all examples along them.
Labelled MatMulOperand(const Tensor& a, const Labels& matrix, const ir::Dims& batch) {
  const auto num_batch = static_cast<size_t>(a.rank()) - matrix.size();
  const size_t missing = batch.size() - num_batch;
  Labels labels;
  Axes same_for_all;
  for (size_t axis = 0; axis < num_batch; ++axis) {
    if (a.shape()[axis] == 1 && batch[missing + axis] != 1) {
      same_for_all.push_back(static_cast<int64_t>(axis));
    } else {
      labels.push_back(kBatch + static_cast<int>(missing + axis));
    }
  }
  labels.insert(labels.end(), matrix.begin(), matrix.end());
  return {same_for_all.empty() ? a : Squeeze(a, same_for_all), labels};
}

}  // namespace

Tensor MatMul(const Operand& a, const Operand& b) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of(a, b);
  if (tracer == nullptr) return Tracer::BadNumber();
  if (a.rank() == 0 || b.rank() == 0) {
    return tracer->Fail("MatMul", absl::StrCat("operands are ", a.type().ToString(), " and ",
                                               b.type().ToString(), "; expected at least rank 1"));
  }
  const Labels left = a.rank() == 1 ? Labels{kSummed} : Labels{kRow, kSummed};
  const Labels right = b.rank() == 1 ? Labels{kSummed} : Labels{kSummed, kColumn};
  if (a.shape().back() != b.shape()[b.shape().size() - right.size()]) {
    return tracer->Fail("MatMul",
                        absl::StrCat("the rows of ", ShapeText(a.shape()), " and the columns of ",
                                     ShapeText(b.shape()), " have different sizes"));
  }
  const absl::StatusOr<ir::Dims> batch = BroadcastShapes(
      "MatMul", absl::MakeConstSpan(a.shape()).first(a.shape().size() - left.size()),
      absl::MakeConstSpan(b.shape()).first(b.shape().size() - right.size()));
  if (!batch.ok()) return tracer->Fail(batch.status());
  Labels kept;
  for (size_t i = 0; i < batch->size(); ++i) kept.push_back(kBatch + static_cast<int>(i));
  if (left.size() > 1) kept.push_back(kRow);
  if (right.size() > 1) kept.push_back(kColumn);
  const Labelled product =
      Contracted(MatMulOperand(a, left, *batch), MatMulOperand(b, right, *batch), kept);
  return tracer->status().ok() ? Arranged(product, kept) : product.tensor;
}

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
  return tracer->status().ok() ? Arranged(result, read->result) : result.tensor;
}

}  // namespace acceld::client
