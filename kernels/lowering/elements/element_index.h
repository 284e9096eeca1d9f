#pragma once

#include <vector>

#include "absl/types/span.h"
#include "common/ir/types/type.h"
#include "kernels/ir/build/kernel_builder.h"

namespace acceld::kernels {

// The index of an element in a tensor of static shape, as values of a kernel. It consists of one
// value for each group of adjacent dimensions: the row-major index within the group. So the index
// of a loop over a flattened shape stays a single value until an op needs the index of a single
// dimension.
class ElementIndex {
 public:
  // `num_dims` adjacent dimensions, in which the row-major index is `var`.
  struct Group {
    Var var;
    int num_dims;
  };

  // The index of the only element of a scalar.
  static ElementIndex Scalar() { return ElementIndex({}, {}); }
  // The element at row-major index `linear` of a tensor with this shape.
  static ElementIndex FromLinear(Var linear, absl::Span<const int64_t> shape);
  static ElementIndex FromDims(std::vector<Var> indices, absl::Span<const int64_t> shape);
  static ElementIndex FromGroups(std::vector<Group> groups, absl::Span<const int64_t> shape);

  const std::vector<int64_t>& shape() const { return shape_; }
  // Emits the row-major index in the whole tensor.
  Var Linear(KernelBuilder& b) const;
  // Emits the index in each dimension, with integer divisions to split groups.
  std::vector<Var> Dims(KernelBuilder& b) const;
  // Whether Dims needs divisions: whether a group has two dimensions of more than one element.
  bool NeedsDivision() const;
  const std::vector<Group>& groups() const { return groups_; }

 private:
  ElementIndex(std::vector<Group> groups, std::vector<int64_t> shape)
      : groups_(std::move(groups)), shape_(std::move(shape)) {}

  std::vector<Group> groups_;
  std::vector<int64_t> shape_;
};

}  // namespace acceld::kernels
