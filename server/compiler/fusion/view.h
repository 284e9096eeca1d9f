#pragma once

#include <cstdint>
#include <vector>

#include "absl/types/optional.h"
#include "common/ir/module.h"

namespace acceld::compiler {

// Describes a value whose elements are those of another value, the base, moved or repeated
// (reshape, transpose, broadcast, slice): for each index of the value, the view says which element
// of the base is there. The index along each dimension is written as mixed-radix digits, outermost
// first; the product of their sizes is the size of the dimension. The position in the base, counted
// in elements in row-major order, is `offset` plus the sum of digit * stride.
//
// A digit's stride is 0 where elements repeat. Digits of size 1 are left out.
struct View {
  struct Digit {
    int64_t size, stride;
    friend bool operator==(const Digit&, const Digit&) = default;
  };
  int64_t offset = 0;  // position in the base of the first element
  std::vector<std::vector<Digit>> dims;

  friend bool operator==(const View&, const View&) = default;
};

// Returns the view of a tensor on itself.
View RowMajorView(const ir::TensorType& type);
// Returns the view in which dimension d has the size dims[d] and the stride strides[d].
View StridedView(const ir::Dims& dims, const std::vector<int64_t>& strides);

// Returns the view of the result of `op` (a reshape, transpose, broadcast_in_dim or slice), given
// the view of its operand. The base stays the same. Returns nullopt for other ops, where the digits
// cannot be split to fit the new dimensions, and for a result without elements.
absl::optional<View> ViewThrough(const ir::Function& function, const ir::Op& op,
                                 const View& operand);

// Equidistant elements of a tensor: `size` elements of which each is `step` positions after the
// previous one in row-major order.
struct Axis {
  int64_t size, step;
};

// Whether elements that form an axis in one tensor are also equidistant in another.
struct AxisStride {
  enum class Kind : uint8_t {
    kNone,    // they are not
    kStride,  // `value` is their distance
    // They are not, but each run of `value` consecutive elements is: the axis can be split into an
    // inner one of that size, which has a stride, and an outer one, which may have one.
    kSplit,
  };
  Kind kind = Kind::kNone;
  int64_t value = 0;
};

// Given an axis through the viewed value, returns its stride in the base.
AxisStride StrideThrough(const View& view, const Axis& axis);
// Given an axis through the base, returns its stride in the viewed value. Along digits that repeat
// elements the position is held fixed.
AxisStride StrideInto(const View& view, const Axis& axis);

}  // namespace acceld::compiler
