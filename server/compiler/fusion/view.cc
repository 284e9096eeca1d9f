#include "server/compiler/fusion/view.h"

#include <utility>

namespace acceld::compiler {
namespace {

using Digits = std::vector<View::Digit>;

Digits OneDigit(int64_t size, int64_t stride) {
  return size == 1 ? Digits{} : Digits{{size, stride}};
}

// Returns the digits of all dimensions, outermost first.
Digits Flat(const View& view) {
  Digits all;
  for (const Digits& dim : view.dims) all.insert(all.end(), dim.begin(), dim.end());
  return all;
}

absl::optional<View> Reshaped(const View& view, const ir::Dims& dims) {
  const Digits all = Flat(view);
  View out{.offset = view.offset};
  size_t next = 0;
  View::Digit left{1, 0};  // the remaining part of a digit that is split between two dimensions
  for (const int64_t size : dims) {
    Digits& digits = out.dims.emplace_back();
    for (int64_t missing = size; missing > 1;) {
      if (left.size == 1) {
        if (next == all.size()) return absl::nullopt;
        left = all[next++];
      }
      if (left.size <= missing) {
        if (missing % left.size != 0) return absl::nullopt;
        missing /= left.size;
        digits.push_back(left);
        left = {1, 0};
      } else {
        if (left.size % missing != 0) return absl::nullopt;
        const int64_t inner = left.size / missing;
        digits.push_back({missing, left.stride * inner});
        left.size = inner;
        missing = 1;
      }
    }
  }
  return out;
}

absl::optional<View> Sliced(const View& view, const ir::SliceAttributes& slice,
                            const ir::Dims& dims) {
  View out{.offset = view.offset};
  for (size_t d = 0; d < dims.size(); ++d) {
    const Digits& digits = view.dims[d];
    if (digits.size() > 1) return absl::nullopt;
    const int64_t stride = digits.empty() ? 0 : digits[0].stride;
    out.offset += slice.start_indices[d] * stride;
    out.dims.push_back(OneDigit(dims[d], slice.strides[d] * stride));
  }
  return out;
}

}  // namespace

View RowMajorView(const ir::TensorType& type) {
  const ir::Dims strides = ir::RowMajorStrides(type.dims);
  return StridedView(type.dims, {strides.begin(), strides.end()});
}

View StridedView(const ir::Dims& dims, const std::vector<int64_t>& strides) {
  View view;
  for (size_t d = 0; d < strides.size(); ++d) view.dims.push_back(OneDigit(dims[d], strides[d]));
  return view;
}

absl::optional<View> ViewThrough(const ir::Function& function, const ir::Op& op,
                                 const View& operand) {
  const ir::Dims& dims = function.TensorOf(op.results[0]).dims;
  if (function.TensorOf(op.results[0]).num_elements() == 0) return absl::nullopt;
  switch (op.kind) {
    case ir::OpKind::kReshape:
      return Reshaped(operand, dims);
    case ir::OpKind::kSlice:
      return Sliced(operand, op.As<ir::SliceAttributes>(), dims);
    case ir::OpKind::kTranspose: {
      View out{.offset = operand.offset};
      for (const int64_t d : op.As<ir::TransposeAttributes>().permutation) {
        out.dims.push_back(operand.dims[d]);
      }
      return out;
    }
    case ir::OpKind::kBroadcastInDim: {
      View out{.offset = operand.offset};
      for (const int64_t size : dims) out.dims.push_back(OneDigit(size, 0));
      const auto& to = op.As<ir::BroadcastInDimAttributes>().broadcast_dimensions;
      for (size_t d = 0; d < to.size(); ++d) {
        if (!operand.dims[d].empty()) out.dims[to[d]] = operand.dims[d];
      }
      return out;
    }
    default:
      return absl::nullopt;
  }
}

AxisStride StrideThrough(const View& view, const Axis& axis) {
  const Digits digits = Flat(view);
  int64_t inner = 1;  // positions in the viewed value per step of the digit
  for (size_t i = digits.size(); i-- > 0; inner *= digits[i].size) {
    if (axis.step >= inner * digits[i].size) continue;
    const int64_t steps = axis.step / inner;
    if (axis.step % inner != 0) return {};
    if (steps * axis.size <= digits[i].size) {
      return {AxisStride::Kind::kStride, steps * digits[i].stride};
    }
    const int64_t inside = digits[i].size / steps;
    if (digits[i].size % steps != 0 || axis.size % inside != 0) return {};
    return {AxisStride::Kind::kSplit, inside};
  }
  return {};
}

AxisStride StrideInto(const View& view, const Axis& axis) {
  const Digits digits = Flat(view);
  int64_t inner = 1;
  for (size_t i = digits.size(); i-- > 0; inner *= digits[i].size) {
    const View::Digit& digit = digits[i];
    if (digit.stride == 0 || axis.step < digit.stride || axis.step >= digit.stride * digit.size) {
      continue;
    }
    const int64_t steps = axis.step / digit.stride;
    if (axis.step % digit.stride != 0) return {};
    if (steps * axis.size <= digit.size) return {AxisStride::Kind::kStride, steps * inner};
    const int64_t inside = digit.size / steps;
    if (digit.size % steps != 0 || axis.size % inside != 0) return {};
    return {AxisStride::Kind::kSplit, inside};
  }
  return {};
}

}  // namespace acceld::compiler
