#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/tensor.h"
#include "client/tracing/tracer.h"

namespace acceld::client {
namespace {

using ir::OpKind;

std::string Shape(absl::Span<const int64_t> dims) {
  return absl::StrCat("[", absl::StrJoin(dims, ","), "]");
}

}  // namespace

Tensor BroadcastTo(const Tensor& a, absl::Span<const int64_t> shape) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of({a});
  if (tracer == nullptr) return a;
  const ir::Dims target(shape.begin(), shape.end());
  if (a.shape() == target) return a;
  absl::StatusOr<ir::Dims> combined = BroadcastShapes(a.shape(), shape);
  if (!combined.ok() || *combined != target) {
    return tracer->Fail(ShapeError(
        "BroadcastTo", absl::StrCat(Shape(a.shape()), " does not stretch to ", Shape(shape))));
  }
  std::vector<int64_t> dimensions(a.rank());
  std::iota(dimensions.begin(), dimensions.end(), static_cast<int64_t>(shape.size()) - a.rank());
  return tracer->Emit(OpKind::kBroadcastInDim, {a}, ir::BroadcastInDimAttributes{dimensions},
                      ir::TensorType{a.dtype(), target});
}

Tensor Reshape(const Tensor& a, absl::Span<const int64_t> shape) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of({a});
  if (tracer == nullptr) return Tracer::BadNumber();
  ir::Dims dims(shape.begin(), shape.end());
  const auto open = std::find(dims.begin(), dims.end(), -1);
  if (open != dims.end()) {
    int64_t known = 1;
    for (int64_t dim : dims) {
      if (dim != -1 && __builtin_mul_overflow(known, dim, &known)) known = 0;
    }
    if (known <= 0 || a.type().num_elements() % known != 0) {
      return tracer->Fail(
          ShapeError("Reshape", absl::StrCat(Shape(a.shape()), " has no shape ", Shape(shape))));
    }
    *open = a.type().num_elements() / known;
  }
  if (a.shape() == dims) return a;
  return tracer->Emit(OpKind::kReshape, {a}, ir::NoAttributes{}, ir::TensorType{a.dtype(), dims});
}

Tensor Transpose(const Tensor& a, const Axes& permutation) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of({a});
  if (tracer == nullptr) return Tracer::BadNumber();
  Axes axes = permutation;
  if (axes.empty()) {
    for (int64_t axis = a.rank() - 1; axis >= 0; --axis) axes.push_back(axis);
  }
  for (int64_t& axis : axes) {
    absl::StatusOr<int64_t> normal = NormalAxis("Transpose", axis, a.rank());
    if (!normal.ok()) return tracer->Fail(normal.status());
    axis = *normal;
  }
  return tracer->Emit(OpKind::kTranspose, {a}, ir::TransposeAttributes{axes});
}

Tensor ExpandDims(const Tensor& a, int64_t axis) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of({a});
  if (tracer == nullptr) return Tracer::BadNumber();
  absl::StatusOr<int64_t> normal = NormalAxis("ExpandDims", axis, a.rank() + 1);
  if (!normal.ok()) return tracer->Fail(normal.status());
  ir::Dims dims = a.shape();
  dims.insert(dims.begin() + *normal, 1);
  return Reshape(a, dims);
}

Tensor Slice(const Tensor& a, absl::Span<const int64_t> start, absl::Span<const int64_t> limit,
             absl::Span<const int64_t> strides) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of({a});
  if (tracer == nullptr) return Tracer::BadNumber();
  ir::SliceAttributes attributes;
  attributes.start_indices.assign(start.begin(), start.end());
  attributes.limit_indices.assign(limit.begin(), limit.end());
  attributes.strides.assign(strides.begin(), strides.end());
  if (strides.empty()) attributes.strides.assign(a.rank(), 1);
  return tracer->Emit(OpKind::kSlice, {a}, std::move(attributes));
}

Tensor Concatenate(absl::Span<const Tensor> parts, int64_t axis) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of(parts);
  if (tracer == nullptr) return Tracer::BadNumber();
  absl::StatusOr<int64_t> normal = NormalAxis("Concatenate", axis, parts[0].rank());
  if (!normal.ok()) return tracer->Fail(normal.status());
  return tracer->Emit(OpKind::kConcatenate, {parts.begin(), parts.end()},
                      ir::DimensionAttributes{*normal});
}

Tensor Constant(const Tensor& like, const ir::Literal& value) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of({like});
  if (tracer == nullptr) return Tracer::BadNumber();
  return tracer->Make(tracer->builder().Constant(value));
}

Tensor Full(const Tensor& like, const ir::TensorType& type, double value) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of({like});
  return tracer == nullptr ? Tracer::BadNumber() : tracer->Fill(value, type);
}

Tensor Iota(const Tensor& like, const ir::TensorType& type, int64_t axis) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of({like});
  if (tracer == nullptr) return Tracer::BadNumber();
  absl::StatusOr<int64_t> normal = NormalAxis("Iota", axis, type.rank());
  if (!normal.ok()) return tracer->Fail(normal.status());
  return tracer->Emit(OpKind::kIota, {}, ir::IotaAttributes{*normal}, type);
}

}  // namespace acceld::client
