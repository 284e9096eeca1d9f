#pragma once

#include <cstdint>
#include <vector>

#include "absl/types/optional.h"
#include "common/ir/module.h"

namespace acceld::compiler {

// How the elements of a value lie in another one that it is made of by moving them alone. Each
// dimension is a list of digits, outermost first, whose product is its size; a step of a digit is
// `stride` elements further there, 0 where the elements repeat. Digits of size 1 are left out.
struct View {
  struct Digit {
    int64_t size, stride;
    friend bool operator==(const Digit&, const Digit&) = default;
  };
  int64_t offset = 0;  // of the first element
  std::vector<std::vector<Digit>> dims;

  friend bool operator==(const View&, const View&) = default;
};

// A tensor as it lies in memory itself.
View RowMajorView(const ir::TensorType& type);
// A tensor of which only some dimensions count: dims[d] has the stride strides[d].
View StridedView(const ir::Dims& dims, const std::vector<int64_t>& strides);

// The view of the result of `op` (reshape, transpose, broadcast_in_dim, slice), given that of its
// operand. nullopt for another op, where digits do not fit the new dimensions, and for what has no
// elements.
absl::optional<View> ViewThrough(const ir::Function& function, const ir::Op& op,
                                 const View& operand);

// Some steps through a row-major numbering of elements, all of one size.
struct Axis {
  int64_t size, step;
};

// The stride of an axis somewhere else; or that there is none.
struct AxisStride {
  enum class Kind : uint8_t {
    kNone,
    kStride,
    kSplit,  // but the inner `value` iterations have one, and the outer ones
  };
  Kind kind = Kind::kNone;
  int64_t value = 0;
};

// Of an axis through the elements of the view: the stride in what it views.
AxisStride StrideThrough(const View& view, const Axis& axis);
// Of an axis through the elements of what is viewed: the stride in the view, where these stand in
// one place each.
AxisStride StrideInto(const View& view, const Axis& axis);

}  // namespace acceld::compiler
