#include "kernels/lowering/elements/element_index.h"

#include "common/check.h"

namespace acceld::kernels {

ElementIndex ElementIndex::FromLinear(Var linear, absl::Span<const int64_t> shape) {
  return FromGroups({{linear, static_cast<int>(shape.size())}}, shape);
}

ElementIndex ElementIndex::FromDims(std::vector<Var> indices, absl::Span<const int64_t> shape) {
  ACCELD_CHECK(indices.size() == shape.size());
  std::vector<Group> groups;
  for (Var index : indices) groups.push_back({index, 1});
  return FromGroups(std::move(groups), shape);
}

ElementIndex ElementIndex::FromGroups(std::vector<Group> groups, absl::Span<const int64_t> shape) {
  size_t rank = 0;
  for (const Group& group : groups) rank += group.num_dims;
  ACCELD_CHECK(rank == shape.size());
  return ElementIndex(std::move(groups), std::vector<int64_t>(shape.begin(), shape.end()));
}

Var ElementIndex::Linear(KernelBuilder& b) const {
  if (groups_.size() == 1) return groups_[0].var;
  std::vector<Var> vars;
  std::vector<int64_t> strides(groups_.size());
  int64_t stride = 1;
  size_t dim = shape_.size();
  for (size_t g = groups_.size(); g-- > 0;) {
    strides[g] = stride;
    for (int i = 0; i < groups_[g].num_dims; ++i) stride *= shape_[--dim];
  }
  for (const Group& group : groups_) vars.push_back(group.var);
  return b.Linearize(vars, strides);
}

std::vector<Var> ElementIndex::Dims(KernelBuilder& b) const {
  std::vector<Var> indices;
  size_t dim = 0;
  for (const Group& group : groups_) {
    const std::vector<Var> split =
        b.Delinearize(group.var, absl::MakeConstSpan(shape_).subspan(dim, group.num_dims));
    indices.insert(indices.end(), split.begin(), split.end());
    dim += group.num_dims;
  }
  return indices;
}

bool ElementIndex::NeedsDivision() const {
  size_t dim = 0;
  for (const Group& group : groups_) {
    int long_dims = 0;
    for (int i = 0; i < group.num_dims; ++i) long_dims += shape_[dim++] > 1 ? 1 : 0;
    if (long_dims > 1) return true;
  }
  return false;
}

}  // namespace acceld::kernels
