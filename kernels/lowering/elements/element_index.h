#pragma once

#include <vector>

#include "absl/types/span.h"
#include "common/ir/types/type.h"
#include "kernels/ir/build/kernel_builder.h"

namespace acceld::kernels {

// The position of an element in a tensor of static shape, as values of a kernel: index variables,
// each of which stands for one dimension or for several neighbouring ones taken together in
// row-major order. So a loop over a flattened shape stays one variable until an op asks for single
// dimensions.
class ElementIndex {
 public:
  struct Group {
    Var var;
    int num_dims;
  };

  static ElementIndex Scalar() { return ElementIndex({}, {}); }
  // One variable for the whole shape.
  static ElementIndex FromLinear(Var linear, absl::Span<const int64_t> shape);
  static ElementIndex FromDims(std::vector<Var> indices, absl::Span<const int64_t> shape);
  static ElementIndex FromGroups(std::vector<Group> groups, absl::Span<const int64_t> shape);

  const std::vector<int64_t>& shape() const { return shape_; }
  // Row-major position.
  Var Linear(KernelBuilder& b) const;
  // One variable for each dimension; divisions where a group has to be split.
  std::vector<Var> Dims(KernelBuilder& b) const;
  // Whether Dims needs divisions: a group has more than one dimension of more than one element.
  bool NeedsDivision() const;
  const std::vector<Group>& groups() const { return groups_; }

 private:
  ElementIndex(std::vector<Group> groups, std::vector<int64_t> shape)
      : groups_(std::move(groups)), shape_(std::move(shape)) {}

  std::vector<Group> groups_;
  std::vector<int64_t> shape_;
};

}  // namespace acceld::kernels
