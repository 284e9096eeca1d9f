// Derivatives of sorts: tangents are moved as their elements are.

#include <utility>

#include "common/ir/transform/copy_function.h"
#include "common/ir/transform/derivation.h"

namespace acceld::ir {
namespace {

// Takes, along a dimension, the elements of `x` at `indices`, which has the shape of `x`.
ValueId TakeAlong(Emitter& e, ValueId x, ValueId indices, int64_t dimension) {
  if (!e.ok()) return 0;
  const int64_t rank = e.TypeOf(x).rank();
  GatherAttributes gather;
  GatherDimensionNumbers& numbers = gather.dimension_numbers;
  numbers.collapsed_slice_dims = {dimension};
  numbers.start_index_map = {dimension};
  numbers.index_vector_dim = rank;
  for (int64_t d = 0; d < rank; ++d) {
    if (d == dimension) continue;
    numbers.operand_batching_dims.push_back(d);
    numbers.start_indices_batching_dims.push_back(d);
  }
  gather.slice_sizes.assign(static_cast<size_t>(rank), 1);
  return e.Op(OpKind::kGather, {x, indices}, std::move(gather));
}

}  // namespace

// The sort is made again with the indices of the elements as one more operand.
absl::Status DeriveSort(Derivation& d) {
  SortAttributes attributes = d.As<SortAttributes>();
  const TensorType& type = d.operand_type(0);
  if (attributes.dimension < 0) attributes.dimension += type.rank();
  const size_t n = d.num_operands();
  Emitter& e = d.known;
  FunctionBuilder& builder = d.function().known();
  std::vector<ValueId> operands;
  std::vector<Type> elements;
  for (size_t i = 0; i < n; ++i) {
    operands.push_back(d.operand(i));
    elements.insert(elements.end(), 2, TensorType{d.operand_type(i).dtype, {}});
  }
  const TensorType index{DType::kI32, type.dims};
  operands.push_back(e.Iota(index, attributes.dimension));
  elements.insert(elements.end(), 2, TensorType{index.dtype, {}});
  std::vector<Region> regions;
  const std::vector<ValueId> parameters = builder.BeginRegion(elements);
  const std::vector<ValueId> captures = CapturesOf(d.op().regions);
  const Function comparator = FunctionOf(d.function().source(), d.op().regions[0], captures);
  std::vector<ValueId> arguments = d.function().KnownOf(captures);
  arguments.insert(arguments.end(), parameters.begin(), parameters.begin() + 2 * n);
  regions.push_back(builder.EndRegion(CopyBody(builder, comparator, arguments)));
  const std::vector<ValueId> sorted =
      e.OpWithRegions(OpKind::kSort, std::move(operands), attributes, std::move(regions), n + 1);
  for (size_t i = 0; i < n; ++i) {
    d.ReplaceResult(i, sorted[i]);
    if (!d.IsActive(i)) continue;
    d.AddTangent(TakeAlong(d.linear, d.tangent(i), d.InLinear(sorted[n]), attributes.dimension), i);
  }
  return absl::OkStatus();
}

}  // namespace acceld::ir
