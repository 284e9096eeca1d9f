#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/tensor.h"
#include "client/tracing/tracer.h"

namespace acceld::client {
namespace {

using ir::OpKind;

// Returns the axes in ascending order, counted from the front; all axes for an empty list.
// INVALID_ARGUMENT for an axis that is out of range or occurs twice.
absl::StatusOr<std::vector<int64_t>> ReducedAxes(absl::string_view operation, const Axes& axes,
                                                 int64_t rank) {
  std::vector<int64_t> reduced;
  if (axes.empty()) {
    reduced.resize(rank);
    std::iota(reduced.begin(), reduced.end(), 0);
    return reduced;
  }
  for (int64_t axis : axes) {
    ACCELD_ASSIGN_OR_RETURN(int64_t normal, NormalAxis(operation, axis, rank));
    reduced.push_back(normal);
  }
  std::sort(reduced.begin(), reduced.end());
  if (std::adjacent_find(reduced.begin(), reduced.end()) != reduced.end()) {
    return ShapeError(operation, "an axis is named twice");
  }
  return reduced;
}

Tensor KeepDims(const Tensor& reduced, const Tensor& a, absl::Span<const int64_t> axes) {
  ir::Dims dims = a.shape();
  for (int64_t axis : axes) dims[axis] = 1;
  return Reshape(reduced, dims);
}

// The smallest and the largest value of an element type, as far as a double can represent them: for
// 64-bit integers, converting the double saturates at the correct value.
double Lowest(ir::DType dtype) {
  if (ir::IsFloat(dtype)) return -std::numeric_limits<double>::infinity();
  return ir::IsSigned(dtype) ? -std::ldexp(1.0, ir::BitsOf(dtype) - 1) : 0;
}
double Highest(ir::DType dtype) {
  if (ir::IsFloat(dtype)) return std::numeric_limits<double>::infinity();
  return std::ldexp(1.0, ir::BitsOf(dtype) - (ir::IsSigned(dtype) ? 1 : 0)) - 1;
}

Tensor ReduceOver(absl::string_view operation, OpKind combine, double initial, const Tensor& a,
                  const Axes& axes, bool keep_dims) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of({a});
  if (tracer == nullptr) return a;
  if (!tracer->status().ok()) return a;
  absl::StatusOr<std::vector<int64_t>> reduced = ReducedAxes(operation, axes, a.rank());
  if (!reduced.ok()) return tracer->Fail(reduced.status());
  if (reduced->empty()) return a;
  const ir::TensorType scalar{a.dtype(), {}};
  const Tensor start =
      tracer->Make(tracer->builder().Constant(ir::Literal::Filled(scalar, initial)));
  const std::vector<ir::ValueId> parameters = tracer->builder().BeginRegion({scalar, scalar});
  const absl::StatusOr<ir::ValueId> combined = tracer->builder().AddOne(combine, parameters);
  ir::Region body = tracer->builder().EndRegion({combined.ok() ? *combined : parameters[0]});
  if (!combined.ok()) return tracer->Fail(Annotate(combined.status(), operation));
  std::vector<ir::Region> regions;
  regions.push_back(std::move(body));
  const Tensor result = tracer->EmitAll(
      OpKind::kReduce, {a, start}, ir::DimensionsAttributes{*reduced}, std::move(regions), 1)[0];
  return keep_dims ? KeepDims(result, a, *reduced) : result;
}

}  // namespace

Tensor Sum(const Tensor& a, const Axes& axes, bool keep_dims) {
  return ReduceOver("Sum", OpKind::kAdd, 0, a, axes, keep_dims);
}
Tensor Max(const Tensor& a, const Axes& axes, bool keep_dims) {
  return ReduceOver("Max", OpKind::kMaximum, Lowest(a.dtype()), a, axes, keep_dims);
}
Tensor Min(const Tensor& a, const Axes& axes, bool keep_dims) {
  return ReduceOver("Min", OpKind::kMinimum, Highest(a.dtype()), a, axes, keep_dims);
}

Tensor Mean(const Tensor& a, const Axes& axes, bool keep_dims) {
  const Tensor sum = Sum(a, axes, keep_dims);
  const int64_t results = sum.type().num_elements();
  const double count = results == 0 ? 1 : static_cast<double>(a.type().num_elements()) / results;
  return sum / count;
}

Tensor ArgMax(const Tensor& a, int64_t axis) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of({a});
  if (tracer == nullptr) return Tracer::BadNumber();
  absl::StatusOr<int64_t> normal = NormalAxis("ArgMax", axis, a.rank());
  if (!normal.ok()) return tracer->Fail(normal.status());
  // The smallest index among the elements that equal the maximum.
  const int64_t size = a.shape()[*normal];
  const Tensor index = Iota(a, {ir::DType::kI32, a.shape()}, *normal);
  return Min(Where(a == Max(a, {*normal}, true), index,
                   Full(a, {ir::DType::kI32, {}}, static_cast<double>(size))),
             {*normal});
}

Tensor Softmax(const Tensor& a, int64_t axis) {
  const Tensor exponentials = Exp(a - Max(a, {axis}, true));
  return exponentials / Sum(exponentials, {axis}, true);
}

Tensor LogSumExp(const Tensor& a, int64_t axis, bool keep_dims) {
  const Tensor largest = Max(a, {axis}, true);
  const Tensor result = largest + Log(Sum(Exp(a - largest), {axis}, true));
  if (keep_dims || Tracer::IsNumber(result)) return result;
  absl::StatusOr<int64_t> normal = NormalAxis("LogSumExp", axis, a.rank());
  if (!normal.ok()) return result;  // The error is recorded already.
  ir::Dims dims = a.shape();
  dims.erase(dims.begin() + *normal);
  return Reshape(result, dims);
}

Tensor OneHot(const Tensor& indices, int64_t depth, ir::DType dtype) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of({indices});
  if (tracer == nullptr) return Tracer::BadNumber();
  if (!ir::IsInteger(indices.dtype())) {
    return tracer->Fail(ShapeError(
        "OneHot", absl::StrCat("indices are ", indices.type().ToString(), "; expected integers")));
  }
  const Tensor classes = Iota(indices, {indices.dtype(), {depth}}, 0);
  return Convert(ExpandDims(indices, -1) == classes, dtype);
}

}  // namespace acceld::client
