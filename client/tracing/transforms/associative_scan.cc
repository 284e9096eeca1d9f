#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/tracing/ops/shapes.h"
#include "client/tracing/tracer.h"
#include "client/tracing/transforms/control_flow.h"

namespace acceld::client {
namespace {

using Tensors = std::vector<Tensor>;
using Combine = std::function<Tensors(const Tensors&, const Tensors&)>;

int64_t SizeAlong(const Tensor& a, int64_t axis) { return a.shape()[static_cast<size_t>(axis)]; }

// From `start` to `limit` along the axis, in steps.
Tensors Strided(const Tensors& elements, int64_t axis, int64_t start, int64_t limit,
                int64_t stride) {
  Tensors parts;
  for (const Tensor& element : elements) {
    const auto rank = static_cast<size_t>(element.rank());
    std::vector<int64_t> starts(rank), strides(rank, 1);
    std::vector<int64_t> limits(element.shape().begin(), element.shape().end());
    starts[static_cast<size_t>(axis)] = start;
    limits[static_cast<size_t>(axis)] = limit;
    strides[static_cast<size_t>(axis)] = stride;
    parts.push_back(Slice(element, starts, limits, strides));
  }
  return parts;
}

// Elements of `even` and `odd` in turn.
Tensor Interleaved(Tracer& tracer, const Tensor& even, const Tensor& odd, int64_t axis) {
  const int64_t size = SizeAlong(even, axis) + SizeAlong(odd, axis);
  const auto spread = [&](const Tensor& part, int64_t first) {
    const auto rank = static_cast<size_t>(part.rank());
    ir::PadAttributes padding{std::vector<int64_t>(rank), std::vector<int64_t>(rank),
                              std::vector<int64_t>(rank)};
    const auto along = static_cast<size_t>(axis);
    const int64_t count = SizeAlong(part, axis);
    padding.edge_padding_low[along] = first;
    padding.edge_padding_high[along] = size - first - (2 * count - 1);
    padding.interior_padding[along] = 1;
    return tracer.Emit(ir::OpKind::kPad, {part, tracer.Fill(0, {part.dtype(), {}})}, padding);
  };
  if (SizeAlong(odd, axis) == 0) return even;
  return tracer.Emit(even.dtype() == ir::DType::kI1 ? ir::OpKind::kOr : ir::OpKind::kAdd,
                     {spread(even, 0), spread(odd, 1)});
}

// Combines neighbours, scans those half as many, and fills in what lies between.
Tensors Scanned(Tracer& tracer, const Combine& combine, const Tensors& elements, int64_t axis) {
  const int64_t size = SizeAlong(elements[0], axis);
  if (size < 2 || !tracer.status().ok()) return elements;
  const Tensors pairs =
      combine(Strided(elements, axis, 0, size - 1, 2), Strided(elements, axis, 1, size, 2));
  for (size_t i = 0; i < elements.size() && tracer.status().ok(); ++i) {
    ir::TensorType expected = elements[i].type();
    expected.dims[static_cast<size_t>(axis)] = size / 2;
    if (pairs.size() != elements.size() || pairs[i].type() != expected) {
      tracer.Fail("AssociativeScan",
                  absl::StrCat("the combination of two elements of type ", expected.ToString(),
                               " is ", i < pairs.size() ? pairs[i].type().ToString() : "missing"));
    }
  }
  if (!tracer.status().ok()) return elements;
  const Tensors odd = Scanned(tracer, combine, pairs, axis);
  if (!tracer.status().ok()) return elements;
  Tensors even = Strided(elements, axis, 0, 1, 1);
  if (size > 2) {
    const Tensors before = Strided(odd, axis, 0, (size - 1) / 2, 1);
    const Tensors rest = combine(before, Strided(elements, axis, 2, size, 2));
    for (size_t i = 0; i < even.size(); ++i) even[i] = Concatenate({even[i], rest[i]}, axis);
  }
  Tensors all;
  for (size_t i = 0; i < even.size(); ++i) {
    all.push_back(Interleaved(tracer, even[i], odd[i], axis));
  }
  return all;
}

}  // namespace

namespace internal {

std::vector<Tensor> AssociativeScanOf(const Combine& combine, const Tensors& elements, int64_t axis,
                                      bool reverse) {
  const std::shared_ptr<Tracer> tracer = Tracer::Current();
  if (tracer == nullptr) return elements;
  if (elements.empty()) return elements;
  const absl::StatusOr<int64_t> normal = NormalAxis("AssociativeScan", axis, elements[0].rank());
  if (!normal.ok()) return {tracer->Fail(normal.status())};
  Tensors scanned;
  for (const Tensor& element : elements) {
    if (element.rank() <= *normal ||
        SizeAlong(element, *normal) != SizeAlong(elements[0], *normal)) {
      return {tracer->Fail(
          "AssociativeScan",
          absl::StrCat("leaves have ", ShapeText(elements[0].shape()), " and ",
                       ShapeText(element.shape()), ", which differ along axis ", axis))};
    }
    scanned.push_back(reverse ? Flip(element, {*normal}) : element);
  }
  scanned = Scanned(*tracer, combine, scanned, *normal);
  if (!reverse || !tracer->status().ok()) return scanned;
  for (Tensor& element : scanned) element = Flip(element, {*normal});
  return scanned;
}

}  // namespace internal

}  // namespace acceld::client
