#include "client/tracing/ops/indexing.h"

#include <algorithm>
#include <memory>
#include <string>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/tracing/ops/arithmetic.h"
#include "client/tracing/ops/reductions.h"
#include "client/tracing/ops/shapes.h"
#include "client/tracing/tracer.h"

namespace acceld::client {
namespace {

using ir::OpKind;

// An index of a tensor with one shape, in two steps. First come the numbers and ranges, a slice in
// each dimension; then the tensors of integers select in what is left.
struct Selection {
  // By dimension of the tensor. A step below 0 goes down from `start`.
  std::vector<int64_t> start, size, step;
  std::vector<bool> is_number;  // whether the dimension disappears
  // After the first step: the dimensions that tensors select in, and these.
  std::vector<int64_t> selected;
  std::vector<Tensor> tensors;
  // The shape of the result with its new axes; empty if there are none.
  bool has_new_axes = false;
  // How many dimensions that are kept come before each new axis, and before the first tensor.
  std::vector<int64_t> new_axes;

  bool IsWhole(const ir::Dims& dims) const {
    for (size_t i = 0; i < dims.size(); ++i) {
      if (is_number[i] || start[i] != 0 || step[i] != 1 || size[i] != dims[i]) return false;
    }
    return true;
  }
  bool IsContiguous() const {
    return std::all_of(step.begin(), step.end(), [](int64_t s) { return s == 1; });
  }
  bool TensorsAreNeighbours() const {
    for (size_t i = 1; i < selected.size(); ++i) {
      if (selected[i] != selected[i - 1] + 1) return false;
    }
    return true;
  }
};

// The first element and the number of elements of a range along an axis of `size`, as in Python.
std::pair<int64_t, int64_t> Resolve(const Range& range, int64_t size) {
  const int64_t lowest = range.step > 0 ? 0 : -1, highest = range.step > 0 ? size : size - 1;
  const auto bounded = [&](int64_t i) { return std::clamp(i < 0 ? i + size : i, lowest, highest); };
  const int64_t start =
      range.start.has_value() ? bounded(*range.start) : (range.step > 0 ? lowest : highest);
  const int64_t stop =
      range.stop.has_value() ? bounded(*range.stop) : (range.step > 0 ? highest : lowest);
  const int64_t distance = range.step > 0 ? stop - start : start - stop;
  const int64_t step = std::abs(range.step);
  return {start, std::max<int64_t>(0, (distance + step - 1) / step)};
}

absl::StatusOr<Selection> Read(const Operand& a, const Index& index) {
  const auto is = [](const IndexEntry& entry, auto tag) {
    return std::holds_alternative<decltype(tag)>(entry.value());
  };
  int64_t named = 0, ellipses = 0;
  for (const IndexEntry& entry : index) {
    if (is(entry, EllipsisIndex())) {
      ++ellipses;
    } else if (!is(entry, NewAxisIndex())) {
      ++named;
    }
  }
  if (named > a.rank() || ellipses > 1) {
    return ShapeError("At", absl::StrCat("an index of ", named, " dimensions and ", ellipses,
                                         " ellipses for ", ShapeText(a.shape())));
  }
  Index full = index;
  if (ellipses == 0) full.push_back(kEllipsis);
  const auto ellipsis = std::find_if(full.begin(), full.end(), [&](const IndexEntry& entry) {
    return is(entry, EllipsisIndex());
  });
  const auto place = full.erase(ellipsis);
  full.insert(place, static_cast<size_t>(a.rank() - named), IndexEntry(kAll));

  Selection selection;
  int64_t dimension = 0, kept = 0;
  for (const IndexEntry& entry : full) {
    if (is(entry, NewAxisIndex())) {
      selection.has_new_axes = true;
      selection.new_axes.push_back(kept);
      continue;
    }
    const int64_t size = a.shape()[static_cast<size_t>(dimension++)];
    bool is_number = false;
    int64_t start = 0, length = size, step = 1;
    if (const auto* number = std::get_if<int64_t>(&entry.value())) {
      if (*number < -size || *number >= size) {
        return ShapeError("At", absl::StrCat("index ", *number, " is out of range for axis ",
                                             dimension - 1, " of ", ShapeText(a.shape())));
      }
      is_number = true;
      start = *number < 0 ? *number + size : *number;
      length = 1;
    } else if (const auto* range = std::get_if<Range>(&entry.value())) {
      if (range->step == 0) return ShapeError("At", "the step of a range is 0");
      std::tie(start, length) = Resolve(*range, size);
      step = range->step;
    } else {
      const Tensor& tensor = std::get<Tensor>(entry.value());
      if (!ir::IsInteger(tensor.dtype()) || Tracer::IsNumber(tensor)) {
        return ShapeError(
            "At", absl::StrCat("an index is ", tensor.type().ToString(),
                               tensor.dtype() == ir::DType::kI1
                                   ? "; the number of elements would not be known: use Where"
                                   : "; expected integers"));
      }
      // An index below zero counts from the end.
      selection.selected.push_back(kept);
      selection.tensors.push_back(
          ir::IsSigned(tensor.dtype())
              ? Where(tensor < 0, tensor + static_cast<double>(size), tensor)
              : tensor);
    }
    selection.is_number.push_back(is_number);
    selection.start.push_back(start);
    selection.size.push_back(length);
    selection.step.push_back(step);
    if (!is_number) ++kept;
  }
  if (selection.has_new_axes && !selection.tensors.empty()) {
    return ShapeError("At", "an index has new axes and tensors; use ExpandDims for the axes");
  }
  return selection;
}

// The first step: slices.
Tensor SliceOf(const Operand& a, const Selection& s) {
  if (s.IsWhole(a.shape())) return a;
  std::vector<int64_t> starts, limits, strides;
  Axes reversed;
  ir::Dims dims;
  for (size_t i = 0; i < s.start.size(); ++i) {
    const int64_t stride = std::abs(s.step[i]);
    const int64_t span = s.size[i] == 0 ? 0 : (s.size[i] - 1) * stride;
    const int64_t first = s.size[i] == 0 ? 0 : (s.step[i] > 0 ? s.start[i] : s.start[i] - span);
    starts.push_back(first);
    limits.push_back(s.size[i] == 0 ? 0 : first + span + 1);
    strides.push_back(stride);
    if (s.step[i] < 0) reversed.push_back(static_cast<int64_t>(i));
    if (!s.is_number[i]) dims.push_back(s.size[i]);
  }
  Tensor part = Slice(a, starts, limits, strides);
  if (!reversed.empty()) part = Flip(part, reversed);
  return Reshape(part, dims);
}

// Puts what SliceOf would give back into `a`.
Tensor WithSlice(Tracer& tracer, const Operand& a, const Selection& s, const Tensor& part) {
  if (s.IsWhole(a.shape())) return part;
  const ir::Dims dims(s.size.begin(), s.size.end());
  Tensor block = Reshape(part, dims);
  if (s.IsContiguous()) {
    std::vector<Tensor> operands = {a, block};
    for (const int64_t start : s.start) {
      operands.push_back(tracer.Fill(static_cast<double>(start), {ir::DType::kI32, {}}));
    }
    return a.rank() == 0 ? block : tracer.Emit(OpKind::kDynamicUpdateSlice, operands);
  }
  // With steps: spreads the values, and a mask of where they are.
  ir::PadAttributes attributes;
  Axes reversed;
  for (size_t i = 0; i < s.start.size(); ++i) {
    const int64_t stride = std::abs(s.step[i]);
    const int64_t span = s.size[i] == 0 ? 0 : (s.size[i] - 1) * stride + 1;
    const int64_t first = s.size[i] == 0 ? 0 : (s.step[i] > 0 ? s.start[i] : s.start[i] - span + 1);
    attributes.edge_padding_low.push_back(first);
    attributes.edge_padding_high.push_back(a.shape()[i] - first - span);
    attributes.interior_padding.push_back(stride - 1);
    if (s.step[i] < 0) reversed.push_back(static_cast<int64_t>(i));
  }
  if (!reversed.empty()) block = Flip(block, reversed);
  const Tensor mask = tracer.Emit(
      OpKind::kPad, {Full(dims, 1, ir::DType::kI1), tracer.Fill(0, {ir::DType::kI1, {}})},
      attributes);
  const Tensor spread =
      tracer.Emit(OpKind::kPad, {block, tracer.Fill(0, {a.dtype(), {}})}, attributes);
  return Where(mask, spread, a);
}

// The tensors of an index, broadcast together, along a new last axis.
Tensor IndexVectors(Tracer& tracer, const std::vector<Tensor>& tensors) {
  ir::Dims shape;
  for (const Tensor& tensor : tensors) {
    const absl::StatusOr<ir::Dims> both = BroadcastShapes("At", shape, tensor.shape());
    if (!both.ok()) return tracer.Fail(both.status());
    shape = *both;
  }
  // One element type holds all of them.
  const bool is_mixed = std::any_of(tensors.begin(), tensors.end(), [&](const Tensor& tensor) {
    return tensor.dtype() != tensors[0].dtype();
  });
  std::vector<Tensor> same;
  for (const Tensor& tensor : tensors) {
    same.push_back(BroadcastTo(is_mixed ? Convert(tensor, ir::DType::kI64) : tensor, shape));
  }
  return Stack(same, -1);
}

// Where the dimensions of the index vectors come in the result, and those of the slices.
struct Layout {
  int64_t first = 0;       // of the index vectors
  Axes offset_dimensions;  // of the slices
};

Layout LayoutOf(const Selection& s, int64_t rank, int64_t index_rank) {
  Layout layout;
  if (s.TensorsAreNeighbours()) layout.first = s.selected[0];
  const int64_t num_slices = rank - static_cast<int64_t>(s.selected.size());
  for (int64_t i = 0; i < num_slices; ++i) {
    layout.offset_dimensions.push_back(i < layout.first ? i : i + index_rank);
  }
  return layout;
}

Tensor GatherOf(Tracer& tracer, const Tensor& a, const Selection& s) {
  const Tensor vectors = IndexVectors(tracer, s.tensors);
  if (!tracer.status().ok()) return vectors;
  const int64_t index_rank = vectors.rank() - 1;
  const Layout layout = LayoutOf(s, a.rank(), index_rank);
  ir::GatherAttributes attributes;
  attributes.dimension_numbers = {.offset_dims = layout.offset_dimensions,
                                  .collapsed_slice_dims = s.selected,
                                  .start_index_map = s.selected,
                                  .index_vector_dim = index_rank};
  attributes.slice_sizes.assign(a.shape().begin(), a.shape().end());
  for (const int64_t dimension : s.selected) {
    attributes.slice_sizes[static_cast<size_t>(dimension)] = 1;
  }
  return tracer.Emit(OpKind::kGather, {a, vectors}, std::move(attributes));
}

// A region that replaces, or combines, what is there.
ir::Region UpdateOf(Tracer& tracer, std::optional<OpKind> combine, ir::DType dtype) {
  if (combine.has_value()) return tracer.Reducer(*combine, dtype);
  const ir::TensorType scalar{dtype, {}};
  const std::vector<ir::ValueId> parameters = tracer.builder().BeginRegion({scalar, scalar});
  return tracer.builder().EndRegion({parameters[1]});
}

Tensor ScatterOf(Tracer& tracer, const Tensor& a, const Selection& s, const Tensor& value,
                 std::optional<OpKind> combine, bool unique_indices) {
  const Tensor vectors = IndexVectors(tracer, s.tensors);
  if (!tracer.status().ok()) return vectors;
  const int64_t index_rank = vectors.rank() - 1;
  const Layout layout = LayoutOf(s, a.rank(), index_rank);
  ir::Dims shape(vectors.shape().begin(), vectors.shape().end() - 1);
  Axes slices;
  for (int64_t i = 0; i < a.rank(); ++i) {
    if (std::find(s.selected.begin(), s.selected.end(), i) == s.selected.end()) {
      slices.push_back(a.shape()[static_cast<size_t>(i)]);
    }
  }
  shape.insert(shape.begin(), slices.begin(), slices.begin() + layout.first);
  shape.insert(shape.end(), slices.begin() + layout.first, slices.end());
  ir::ScatterAttributes attributes;
  attributes.scatter_dimension_numbers = {.update_window_dims = layout.offset_dimensions,
                                          .inserted_window_dims = s.selected,
                                          .scatter_dims_to_operand_dims = s.selected,
                                          .index_vector_dim = index_rank};
  attributes.unique_indices = unique_indices;
  std::vector<ir::Region> regions;
  regions.push_back(UpdateOf(tracer, combine, a.dtype()));
  const Tensor updates = BroadcastTo(value, shape);
  if (!tracer.status().ok()) return updates;
  return tracer.EmitAll(OpKind::kScatter, {a, vectors, updates}, std::move(attributes),
                        std::move(regions), 1)[0];
}

Tensor Updated(absl::string_view operation, const Operand& a, const Index& index,
               const Operand& given, std::optional<OpKind> combine, bool unique_indices = false) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of(a);
  if (tracer == nullptr) return Tracer::BadNumber();
  const absl::StatusOr<Selection> selection = Read(a, index);
  if (!selection.ok()) return tracer->Fail(Annotate(selection.status(), operation));
  const Tensor value = tracer->InTrace(given, a.dtype());
  if (value.dtype() != a.dtype()) {
    return tracer->Fail(operation,
                        absl::StrCat("the value is ", value.type().ToString(), ", and the tensor ",
                                     a.type().ToString(), "; use Convert"));
  }
  const Tensor part = SliceOf(a, *selection);
  if (!selection->tensors.empty()) {
    return WithSlice(*tracer, a, *selection,
                     ScatterOf(*tracer, part, *selection, value, combine, unique_indices));
  }
  Tensor shaped = value;
  if (selection->has_new_axes) {
    ir::Dims dims = part.shape();
    int64_t added = 0;
    for (const int64_t axis : selection->new_axes) dims.insert(dims.begin() + axis + added++, 1);
    shaped = BroadcastTo(value, dims);
    if (!tracer->status().ok()) return shaped;
    shaped = Reshape(shaped, part.shape());
  } else {
    shaped = BroadcastTo(value, part.shape());
  }
  if (combine.has_value()) shaped = tracer->Emit(*combine, {part, shaped});
  return tracer->status().ok() ? WithSlice(*tracer, a, *selection, shaped) : shaped;
}

// One start for each dimension: `start` along `axis`, else 0.
std::vector<Tensor> StartsAlong(Tracer& tracer, const Operand& a, const Operand& start,
                                int64_t axis) {
  const Tensor first = tracer.InTrace(start, ir::DType::kI32);
  std::vector<Tensor> starts(static_cast<size_t>(a.rank()), tracer.Fill(0, {first.dtype(), {}}));
  starts[static_cast<size_t>(axis)] = first;
  return starts;
}

}  // namespace

Tensor At(const Operand& a, const Index& index) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of(a);
  if (tracer == nullptr) return Tracer::BadNumber();
  const absl::StatusOr<Selection> selection = Read(a, index);
  if (!selection.ok()) return tracer->Fail(selection.status());
  Tensor part = SliceOf(a, *selection);
  if (!tracer->status().ok()) return part;
  if (selection->has_new_axes) {
    ir::Dims dims = part.shape();
    int64_t added = 0;
    for (const int64_t axis : selection->new_axes) dims.insert(dims.begin() + axis + added++, 1);
    return Reshape(part, dims);
  }
  if (selection->tensors.empty()) return part;
  const bool are_scalars = std::all_of(selection->tensors.begin(), selection->tensors.end(),
                                       [](const Tensor& tensor) { return tensor.rank() == 0; });
  if (!are_scalars) return GatherOf(*tracer, part, *selection);
  const ir::DType dtype = selection->tensors[0].dtype();
  std::vector<Tensor> starts(static_cast<size_t>(part.rank()), tracer->Fill(0, {dtype, {}}));
  std::vector<int64_t> sizes(part.shape().begin(), part.shape().end());
  ir::Dims dims = part.shape();
  for (size_t i = selection->selected.size(); i-- > 0;) {
    const int64_t dimension = selection->selected[i];
    starts[static_cast<size_t>(dimension)] = Convert(selection->tensors[i], dtype);
    sizes[static_cast<size_t>(dimension)] = 1;
    dims.erase(dims.begin() + dimension);
  }
  return Reshape(DynamicSlice(part, starts, sizes), dims);
}

Tensor SetAt(const Operand& a, const Index& index, const Operand& value) {
  return Updated("SetAt", a, index, value, std::nullopt);
}
Tensor AddAt(const Operand& a, const Index& index, const Operand& value) {
  return Updated("AddAt", a, index, value, OpKind::kAdd);
}
Tensor MultiplyAt(const Operand& a, const Index& index, const Operand& value, bool unique_indices) {
  return Updated("MultiplyAt", a, index, value, OpKind::kMultiply, unique_indices);
}
Tensor MinAt(const Operand& a, const Index& index, const Operand& value) {
  return Updated("MinAt", a, index, value, OpKind::kMinimum);
}
Tensor MaxAt(const Operand& a, const Index& index, const Operand& value) {
  return Updated("MaxAt", a, index, value, OpKind::kMaximum);
}

Tensor Take(const Operand& a, const Operand& indices, int64_t axis) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of(a, indices);
  if (tracer == nullptr) return Tracer::BadNumber();
  const absl::StatusOr<int64_t> normal = NormalAxis("Take", axis, a.rank());
  if (!normal.ok()) return tracer->Fail(normal.status());
  Index index(static_cast<size_t>(*normal), kAll);
  index.push_back(tracer->InTrace(indices, ir::DType::kI32));
  return At(a, index);
}

Tensor TakeAlongAxis(const Operand& a, const Operand& indices, int64_t axis) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of(a, indices);
  if (tracer == nullptr) return Tracer::BadNumber();
  const absl::StatusOr<int64_t> normal = NormalAxis("TakeAlongAxis", axis, a.rank());
  if (!normal.ok()) return tracer->Fail(normal.status());
  const auto along = static_cast<size_t>(*normal);
  ir::Dims expected = a.shape();
  if (indices.rank() == a.rank()) expected[along] = indices.shape()[along];
  if (!ir::IsInteger(indices.dtype()) || indices.shape() != expected) {
    return tracer->Fail(
        "TakeAlongAxis",
        absl::StrCat("the indices are ", indices.type().ToString(),
                     ", and the "
                     "tensor ",
                     a.type().ToString(), "; expected integers, and equal sizes along other axes"));
  }
  const int64_t size = a.shape()[along];
  const Tensor positive = ir::IsSigned(indices.dtype())
                              ? Where(indices < 0, indices + static_cast<double>(size), indices)
                              : indices.tensor();
  ir::GatherAttributes attributes;
  ir::GatherDimensionNumbers& numbers = attributes.dimension_numbers;
  for (int64_t i = 0; i < a.rank(); ++i) {
    if (i == *normal) continue;
    numbers.operand_batching_dims.push_back(i);
    numbers.start_indices_batching_dims.push_back(i);
  }
  numbers.collapsed_slice_dims = {*normal};
  numbers.start_index_map = {*normal};
  numbers.index_vector_dim = a.rank();
  attributes.slice_sizes.assign(static_cast<size_t>(a.rank()), 1);
  return tracer->Emit(OpKind::kGather, {a, ExpandDims(positive, -1)}, std::move(attributes));
}

Tensor DynamicSlice(const Operand& a, const Operands& starts, absl::Span<const int64_t> sizes) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of(a);
  if (tracer == nullptr) return Tracer::BadNumber();
  std::vector<Tensor> operands = {a};
  for (const Tensor& start : starts.tensors()) {
    operands.push_back(tracer->InTrace(start, ir::DType::kI32));
  }
  return tracer->Emit(OpKind::kDynamicSlice, operands,
                      ir::DynamicSliceAttributes{{sizes.begin(), sizes.end()}});
}

Tensor DynamicUpdateSlice(const Operand& a, const Operand& update, const Operands& starts) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of(a, update);
  if (tracer == nullptr) return Tracer::BadNumber();
  std::vector<Tensor> operands = {a, update};
  for (const Tensor& start : starts.tensors()) {
    operands.push_back(tracer->InTrace(start, ir::DType::kI32));
  }
  return tracer->Emit(OpKind::kDynamicUpdateSlice, operands);
}

Tensor DynamicSliceInDim(const Operand& a, const Operand& start, int64_t size, int64_t axis) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of(a, start);
  if (tracer == nullptr) return Tracer::BadNumber();
  const absl::StatusOr<int64_t> normal = NormalAxis("DynamicSliceInDim", axis, a.rank());
  if (!normal.ok()) return tracer->Fail(normal.status());
  std::vector<int64_t> sizes(a.shape().begin(), a.shape().end());
  sizes[static_cast<size_t>(*normal)] = size;
  return DynamicSlice(a, StartsAlong(*tracer, a, start, *normal), sizes);
}

Tensor DynamicIndexInDim(const Operand& a, const Operand& index, int64_t axis, bool keep_dim) {
  const Tensor part = DynamicSliceInDim(a, index, 1, axis);
  return keep_dim ? part : Squeeze(part, {axis});
}

Tensor SegmentSum(const Operand& data, const Operand& segments, int64_t count) {
  const std::shared_ptr<Tracer> tracer = Tracer::Of(data, segments);
  if (tracer == nullptr) return Tracer::BadNumber();
  if (data.rank() == 0 || segments.rank() != 1 || segments.shape()[0] != data.shape()[0] ||
      count < 0) {
    return tracer->Fail("SegmentSum", absl::StrCat("the data is ", data.type().ToString(),
                                                   ", and there are segments ",
                                                   segments.type().ToString(), " below ", count));
  }
  ir::Dims dims = data.shape();
  dims[0] = count;
  return AddAt(Zeros(dims, data.dtype()), {segments.tensor()}, data);
}

}  // namespace acceld::client
