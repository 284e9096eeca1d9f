#include "client/tracing/ops/shapes.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "absl/strings/str_cat.h"
#include "client/tracing/tracer.h"

namespace acceld::client {
namespace {

using ir::OpKind;

Axes Identity(int64_t rank) {
  Axes axes(static_cast<size_t>(rank));
  std::iota(axes.begin(), axes.end(), 0);
  return axes;
}

}  // namespace

Tensor BroadcastTo(const Operand& a, absl::Span<const int64_t> shape) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of(a);
  if (tracer == nullptr) return Tracer::BadNumber();
  const Tensor source = tracer->InTrace(a);
  const ir::Dims target(shape.begin(), shape.end());
  if (source.shape() == target) return source;
  absl::StatusOr<ir::Dims> combined = BroadcastShapes("BroadcastTo", source.shape(), shape);
  if (!combined.ok() || *combined != target) {
    return tracer->Fail("BroadcastTo", absl::StrCat(ShapeText(source.shape()),
                                                    " does not stretch to ", ShapeText(shape)));
  }
  std::vector<int64_t> dimensions(static_cast<size_t>(source.rank()));
  std::iota(dimensions.begin(), dimensions.end(),
            static_cast<int64_t>(shape.size()) - source.rank());
  return tracer->Emit(OpKind::kBroadcastInDim, {source}, ir::BroadcastInDimAttributes{dimensions},
                      ir::TensorType{source.dtype(), target});
}

Tensor Reshape(const Operand& a, absl::Span<const int64_t> shape) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of(a);
  if (tracer == nullptr) return Tracer::BadNumber();
  ir::Dims dims(shape.begin(), shape.end());
  const auto open = std::find(dims.begin(), dims.end(), -1);
  if (open != dims.end()) {
    int64_t known = 1;
    for (int64_t dim : dims) {
      if (dim != -1 && __builtin_mul_overflow(known, dim, &known)) known = 0;
    }
    if (known <= 0 || a.size() % known != 0) {
      return tracer->Fail("Reshape",
                          absl::StrCat(ShapeText(a.shape()), " has no shape ", ShapeText(shape)));
    }
    *open = a.size() / known;
  }
  if (a.shape() == dims) return tracer->InTrace(a);
  return tracer->Emit(OpKind::kReshape, {a}, ir::NoAttributes{}, ir::TensorType{a.dtype(), dims});
}

Tensor Ravel(const Operand& a) { return Reshape(a, {-1}); }

Tensor Transpose(const Operand& a, const Axes& permutation) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of(a);
  if (tracer == nullptr) return Tracer::BadNumber();
  Axes reversed = Identity(a.rank());
  std::reverse(reversed.begin(), reversed.end());
  const absl::StatusOr<Axes> axes =
      NormalAxes("Transpose", permutation.empty() ? reversed : permutation, a.rank());
  if (!axes.ok()) return tracer->Fail(axes.status());
  if (*axes == Identity(a.rank())) return tracer->InTrace(a);
  return tracer->Emit(OpKind::kTranspose, {a}, ir::TransposeAttributes{*axes});
}

Tensor SwapAxes(const Operand& a, int64_t axis1, int64_t axis2) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of(a);
  if (tracer == nullptr) return Tracer::BadNumber();
  const absl::StatusOr<int64_t> first = NormalAxis("SwapAxes", axis1, a.rank());
  if (!first.ok()) return tracer->Fail(first.status());
  const absl::StatusOr<int64_t> second = NormalAxis("SwapAxes", axis2, a.rank());
  if (!second.ok()) return tracer->Fail(second.status());
  Axes order = Identity(a.rank());
  std::swap(order[static_cast<size_t>(*first)], order[static_cast<size_t>(*second)]);
  return Transpose(a, order);
}

Tensor MoveAxis(const Operand& a, int64_t source, int64_t destination) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of(a);
  if (tracer == nullptr) return Tracer::BadNumber();
  const absl::StatusOr<int64_t> from = NormalAxis("MoveAxis", source, a.rank());
  if (!from.ok()) return tracer->Fail(from.status());
  const absl::StatusOr<int64_t> to = NormalAxis("MoveAxis", destination, a.rank());
  if (!to.ok()) return tracer->Fail(to.status());
  Axes order = Identity(a.rank());
  order.erase(order.begin() + *from);
  order.insert(order.begin() + *to, *from);
  return Transpose(a, order);
}

Tensor ExpandDims(const Operand& a, int64_t axis) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of(a);
  if (tracer == nullptr) return Tracer::BadNumber();
  absl::StatusOr<int64_t> normal = NormalAxis("ExpandDims", axis, a.rank() + 1);
  if (!normal.ok()) return tracer->Fail(normal.status());
  ir::Dims dims = a.shape();
  dims.insert(dims.begin() + *normal, 1);
  return Reshape(a, dims);
}

Tensor Squeeze(const Operand& a, const Axes& axes) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of(a);
  if (tracer == nullptr) return Tracer::BadNumber();
  const absl::StatusOr<Axes> removed = NormalAxes("Squeeze", axes, a.rank());
  if (!removed.ok()) return tracer->Fail(removed.status());
  ir::Dims dims;
  for (int64_t axis = 0; axis < a.rank(); ++axis) {
    const int64_t size = a.shape()[static_cast<size_t>(axis)];
    const bool is_named = std::find(removed->begin(), removed->end(), axis) != removed->end();
    if (is_named && size != 1) {
      return tracer->Fail("Squeeze",
                          absl::StrCat("axis ", axis, " of ", ShapeText(a.shape()), " is not 1"));
    }
    if (axes.empty() ? size != 1 : !is_named) dims.push_back(size);
  }
  return Reshape(a, dims);
}

Tensor Slice(const Operand& a, absl::Span<const int64_t> start, absl::Span<const int64_t> limit,
             absl::Span<const int64_t> strides) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of(a);
  if (tracer == nullptr) return Tracer::BadNumber();
  ir::SliceAttributes attributes;
  attributes.start_indices.assign(start.begin(), start.end());
  attributes.limit_indices.assign(limit.begin(), limit.end());
  attributes.strides.assign(strides.begin(), strides.end());
  if (strides.empty()) attributes.strides.assign(static_cast<size_t>(a.rank()), 1);
  return tracer->Emit(OpKind::kSlice, {a}, std::move(attributes));
}

Tensor SliceInDim(const Operand& a, int64_t start, int64_t limit, int64_t axis) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of(a);
  if (tracer == nullptr) return Tracer::BadNumber();
  const absl::StatusOr<int64_t> normal = NormalAxis("SliceInDim", axis, a.rank());
  if (!normal.ok()) return tracer->Fail(normal.status());
  std::vector<int64_t> starts(static_cast<size_t>(a.rank()));
  std::vector<int64_t> limits(a.shape().begin(), a.shape().end());
  starts[static_cast<size_t>(*normal)] = start;
  limits[static_cast<size_t>(*normal)] = limit;
  return Slice(a, starts, limits);
}

Tensor Flip(const Operand& a, const Axes& axes) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of(a);
  if (tracer == nullptr) return Tracer::BadNumber();
  const absl::StatusOr<Axes> normal =
      NormalAxes("Flip", axes.empty() ? Identity(a.rank()) : axes, a.rank());
  if (!normal.ok()) return tracer->Fail(normal.status());
  return tracer->Emit(OpKind::kReverse, {a}, ir::DimensionsAttributes{*normal});
}

Tensor Roll(const Operand& a, int64_t shift, int64_t axis) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of(a);
  if (tracer == nullptr) return Tracer::BadNumber();
  const absl::StatusOr<int64_t> normal = NormalAxis("Roll", axis, a.rank());
  if (!normal.ok()) return tracer->Fail(normal.status());
  const int64_t size = a.shape()[static_cast<size_t>(*normal)];
  const int64_t first = size == 0 ? 0 : ((-shift % size) + size) % size;
  if (first == 0) return a;
  return Concatenate({SliceInDim(a, first, size, *normal), SliceInDim(a, 0, first, *normal)},
                     *normal);
}

Tensor Tile(const Operand& a, absl::Span<const int64_t> repetitions) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of(a);
  if (tracer == nullptr) return Tracer::BadNumber();
  for (const int64_t times : repetitions) {
    if (times < 0) return tracer->Fail("Tile", absl::StrCat(times, " repetitions"));
  }
  // [n, m] -> [1, n, 1, m] -> [r, n, s, m] -> [r n, s m].
  const size_t rank = std::max(static_cast<size_t>(a.rank()), repetitions.size());
  ir::Dims split, stretched, joined;
  for (size_t i = 0; i < rank; ++i) {
    const size_t from_end = rank - i;
    const auto own_rank = static_cast<size_t>(a.rank());
    const int64_t size = from_end <= own_rank ? a.shape()[own_rank - from_end] : 1;
    const int64_t times =
        from_end <= repetitions.size() ? repetitions[repetitions.size() - from_end] : 1;
    split.insert(split.end(), {1, size});
    stretched.insert(stretched.end(), {times, size});
    joined.push_back(times * size);
  }
  return Reshape(BroadcastTo(Reshape(a, split), stretched), joined);
}

Tensor Repeat(const Operand& a, int64_t times, int64_t axis) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of(a);
  if (tracer == nullptr) return Tracer::BadNumber();
  const absl::StatusOr<int64_t> normal = NormalAxis("Repeat", axis, a.rank());
  if (!normal.ok()) return tracer->Fail(normal.status());
  if (times < 0) return tracer->Fail("Repeat", absl::StrCat(times, " repetitions"));
  ir::Dims split = a.shape(), joined = a.shape();
  split.insert(split.begin() + *normal + 1, 1);
  ir::Dims stretched = split;
  stretched[static_cast<size_t>(*normal) + 1] = times;
  joined[static_cast<size_t>(*normal)] *= times;
  return Reshape(BroadcastTo(Reshape(a, split), stretched), joined);
}

namespace {

// What is added along one axis, before or after `a`, in a mode other than kConstant.
Tensor Border(Tracer& tracer, const Tensor& a, int64_t width, int64_t axis, bool before,
              PadMode mode) {
  const int64_t size = a.shape()[static_cast<size_t>(axis)];
  const int64_t most = mode == PadMode::kReflect ? size - 1 : size;
  if (size == 0 || (mode != PadMode::kEdge && width > most)) {
    return tracer.Fail("Pad", absl::StrCat("a width of ", width, " along axis ", axis, " of ",
                                           ShapeText(a.shape()), "; this mode has at most ",
                                           std::max<int64_t>(most, 0)));
  }
  switch (mode) {
    case PadMode::kConstant:
      break;
    case PadMode::kEdge:
      return Repeat(before ? SliceInDim(a, 0, 1, axis) : SliceInDim(a, size - 1, size, axis), width,
                    axis);
    case PadMode::kReflect:
      return Flip(before ? SliceInDim(a, 1, width + 1, axis)
                         : SliceInDim(a, size - 1 - width, size - 1, axis),
                  {axis});
    case PadMode::kSymmetric:
      return Flip(before ? SliceInDim(a, 0, width, axis) : SliceInDim(a, size - width, size, axis),
                  {axis});
    case PadMode::kWrap:
      return before ? SliceInDim(a, size - width, size, axis) : SliceInDim(a, 0, width, axis);
  }
  return a;
}

}  // namespace

Tensor Pad(const Operand& a, const std::vector<std::pair<int64_t, int64_t>>& widths,
           const Operand& value, PadMode mode) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of(a);
  if (tracer == nullptr) return Tracer::BadNumber();
  if (widths.size() != static_cast<size_t>(a.rank())) {
    return tracer->Fail("Pad", absl::StrCat("there are ", widths.size(), " pairs of widths for ",
                                            ShapeText(a.shape())));
  }
  ir::PadAttributes attributes;
  for (const auto& [low, high] : widths) {
    if (low < 0 || high < 0) {
      return tracer->Fail("Pad", absl::StrCat("a width is ", std::min(low, high)));
    }
    attributes.edge_padding_low.push_back(low);
    attributes.edge_padding_high.push_back(high);
    attributes.interior_padding.push_back(0);
  }
  if (mode == PadMode::kConstant) {
    return tracer->Emit(OpKind::kPad, {a, tracer->InTrace(value, a.dtype())},
                        std::move(attributes));
  }
  Tensor padded = a;
  for (int64_t axis = 0; axis < a.rank() && tracer->status().ok(); ++axis) {
    const auto& [low, high] = widths[static_cast<size_t>(axis)];
    std::vector<Tensor> parts;
    if (low > 0) parts.push_back(Border(*tracer, padded, low, axis, /*before=*/true, mode));
    parts.push_back(padded);
    if (high > 0) parts.push_back(Border(*tracer, padded, high, axis, /*before=*/false, mode));
    if (parts.size() > 1) padded = Concatenate(parts, axis);
  }
  return padded;
}

Tensor Concatenate(const Operands& parts, int64_t axis) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of(parts);
  if (tracer == nullptr) return Tracer::BadNumber();
  if (parts.size() == 0) return tracer->Fail("Concatenate", "there are no tensors");
  absl::StatusOr<int64_t> normal = NormalAxis("Concatenate", axis, parts[0].rank());
  if (!normal.ok()) return tracer->Fail(normal.status());
  if (parts.size() == 1) return parts[0];
  return tracer->Emit(OpKind::kConcatenate, parts.tensors(), ir::DimensionAttributes{*normal});
}

Tensor Stack(const Operands& parts, int64_t axis) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of(parts);
  if (tracer == nullptr) return Tracer::BadNumber();
  if (parts.size() == 0) return tracer->Fail("Stack", "there are no tensors");
  std::vector<Tensor> expanded;
  for (const Tensor& part : parts.tensors()) {
    if (part.shape() != parts[0].shape()) {
      return tracer->Fail("Stack",
                          absl::StrCat("tensor 0 is ", ShapeText(parts[0].shape()), ", and tensor ",
                                       expanded.size(), " ", ShapeText(part.shape())));
    }
    expanded.push_back(ExpandDims(tracer->InTrace(part), axis));
  }
  const absl::StatusOr<int64_t> normal = NormalAxis("Stack", axis, parts[0].rank() + 1);
  if (!normal.ok()) return tracer->Fail(normal.status());
  return Concatenate(expanded, *normal);
}

std::vector<Tensor> SplitSizes(const Operand& a, absl::Span<const int64_t> sizes, int64_t axis) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of(a);
  if (tracer == nullptr) return std::vector<Tensor>(sizes.size(), Tracer::BadNumber());
  const auto fail = [&](const Tensor& failed) { return std::vector<Tensor>(sizes.size(), failed); };
  const absl::StatusOr<int64_t> normal = NormalAxis("Split", axis, a.rank());
  if (!normal.ok()) return fail(tracer->Fail(normal.status()));
  const int64_t total = std::accumulate(sizes.begin(), sizes.end(), int64_t{0});
  if (total != a.shape()[static_cast<size_t>(*normal)]) {
    return fail(tracer->Fail("Split", absl::StrCat("the sizes are ", total, " in all, and axis ",
                                                   axis, " of ", ShapeText(a.shape()), " is not")));
  }
  std::vector<Tensor> parts;
  int64_t start = 0;
  for (const int64_t size : sizes) {
    parts.push_back(SliceInDim(a, start, start + size, *normal));
    start += size;
  }
  return parts;
}

std::vector<Tensor> Split(const Operand& a, int64_t parts, int64_t axis) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of(a);
  const auto count = static_cast<size_t>(std::max<int64_t>(parts, 1));
  if (tracer == nullptr) return std::vector<Tensor>(count, Tracer::BadNumber());
  const absl::StatusOr<int64_t> normal = NormalAxis("Split", axis, a.rank());
  if (!normal.ok()) return std::vector<Tensor>(count, tracer->Fail(normal.status()));
  const int64_t size = a.shape()[static_cast<size_t>(*normal)];
  if (parts < 1 || size % parts != 0) {
    return std::vector<Tensor>(
        count, tracer->Fail("Split", absl::StrCat("axis ", axis, " of ", ShapeText(a.shape()),
                                                  " has no ", parts, " equal parts")));
  }
  return SplitSizes(a, std::vector<int64_t>(count, size / parts), *normal);
}

}  // namespace acceld::client
