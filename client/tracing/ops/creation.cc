// Tensors that do not depend on others.

#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/tracing/ops/arithmetic.h"
#include "client/tracing/ops/shapes.h"
#include "client/tracing/tracer.h"

namespace acceld::client {

Tensor Constant(const ir::Literal& value, std::source_location location) {
  const std::shared_ptr<Tracer> tracer = Tracer::At(location);
  if (tracer == nullptr) return Tracer::BadNumber();
  return tracer->Make(tracer->builder().Constant(value));
}

Tensor Full(const ir::Dims& shape, double value, ir::DType dtype, std::source_location location) {
  const std::shared_ptr<Tracer> tracer = Tracer::At(location);
  return tracer == nullptr ? Tracer::BadNumber() : tracer->Fill(value, {dtype, shape});
}

Tensor Zeros(const ir::Dims& shape, ir::DType dtype, std::source_location location) {
  return Full(shape, 0, dtype, location);
}

Tensor Ones(const ir::Dims& shape, ir::DType dtype, std::source_location location) {
  return Full(shape, 1, dtype, location);
}

Tensor Iota(const ir::TensorType& type, int64_t axis, std::source_location location) {
  const std::shared_ptr<Tracer> tracer = Tracer::At(location);
  if (tracer == nullptr) return Tracer::BadNumber();
  absl::StatusOr<int64_t> normal = NormalAxis("Iota", axis, type.rank());
  if (!normal.ok()) return tracer->Fail(normal.status());
  return tracer->Emit(ir::OpKind::kIota, {}, ir::IotaAttributes{*normal}, type);
}

Tensor Arange(int64_t size, ir::DType dtype, std::source_location location) {
  return Iota({dtype, {size}}, 0, location);
}

Tensor Linspace(double start, double stop, int64_t size, ir::DType dtype,
                std::source_location location) {
  const std::shared_ptr<Tracer> tracer = Tracer::At(location);
  if (tracer == nullptr) return Tracer::BadNumber();
  if (size < 0 || !ir::IsFloat(dtype)) {
    return tracer->Fail("Linspace", absl::StrCat(size, " elements of type ", ir::DTypeName(dtype),
                                                 "; expected floats, and no negative number"));
  }
  if (size < 2) return Full({size}, start, dtype, location);
  // As a mean of both ends, as in JAX, and the last one exactly.
  const Tensor number = Arange(size, dtype, location);
  const Tensor step = number / static_cast<double>(size - 1);
  return Where(number == static_cast<double>(size - 1), stop, start * (1 - step) + stop * step);
}

Tensor Eye(int64_t rows, int64_t columns, int64_t k, ir::DType dtype,
           std::source_location location) {
  const ir::TensorType type{ir::DType::kI32, {rows, columns < 0 ? rows : columns}};
  const Tensor row = Iota(type, 0, location), column = Iota(type, 1, location);
  return Convert(column - row == static_cast<double>(k), dtype);
}

std::vector<Tensor> Meshgrid(const Operands& vectors, bool matrix_indexing) {
  const std::shared_ptr<Tracer> tracer = Tracer::At(vectors.location());
  if (tracer == nullptr) return {Tracer::BadNumber()};
  // The axis of the grid along which each vector goes.
  std::vector<size_t> axes(vectors.size());
  std::iota(axes.begin(), axes.end(), size_t{0});
  if (!matrix_indexing && axes.size() > 1) std::swap(axes[0], axes[1]);
  ir::Dims grid(vectors.size());
  for (size_t i = 0; i < vectors.size(); ++i) {
    if (vectors[i].rank() != 1) {
      return {tracer->Fail(
          "Meshgrid", absl::StrCat("operand ", i, " has the shape ", ShapeText(vectors[i].shape()),
                                   "; expected a vector"))};
    }
    grid[axes[i]] = vectors[i].size();
  }
  std::vector<Tensor> coordinates;
  for (size_t i = 0; i < vectors.size(); ++i) {
    ir::Dims dims(vectors.size(), 1);
    dims[axes[i]] = vectors[i].size();
    coordinates.push_back(BroadcastTo(Reshape(vectors[i], dims), grid));
  }
  return coordinates;
}

Tensor FullLike(const Operand& a, double value) {
  return Full(a.shape(), value, a.dtype(), a.location());
}
Tensor ZerosLike(const Operand& a) { return FullLike(a, 0); }
Tensor OnesLike(const Operand& a) { return FullLike(a, 1); }

}  // namespace acceld::client
