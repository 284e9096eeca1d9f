#include "common/ir/transform/counted_loop.h"

#include <limits>
#include <utility>

namespace acceld::ir {
namespace {

// The index of an element of a stack, for dynamic_slice and dynamic_update_slice.
std::vector<ValueId> IndexOf(Emitter& e, const TensorType& stack, ValueId iteration) {
  std::vector<ValueId> index(static_cast<size_t>(stack.rank()), e.Fill(iteration, 0));
  index[0] = iteration;
  return index;
}

}  // namespace

std::vector<ValueId> CountedLoop(
    Emitter& e, FunctionBuilder& builder, int64_t count, DType wanted,
    const std::vector<ValueId>& initial,
    const std::function<std::vector<ValueId>(ValueId iteration, const std::vector<ValueId>&)>&
        body) {
  if (!e.ok()) return std::vector<ValueId>(initial.size());
  const bool fits = wanted == DType::kI32 && count <= std::numeric_limits<int32_t>::max();
  const TensorType counter{fits ? DType::kI32 : DType::kI64, {}};
  std::vector<ValueId> carried = {e.Constant(counter, 0)};
  carried.insert(carried.end(), initial.begin(), initial.end());
  std::vector<Type> types;
  for (const ValueId id : carried) types.push_back(builder.TypeOf(id));

  std::vector<Region> regions;
  std::vector<ValueId> parameters = builder.BeginRegion(types);
  const ValueId goes_on = e.Less(parameters[0], e.Constant(counter, static_cast<double>(count)));
  regions.push_back(builder.EndRegion({goes_on}));

  parameters = builder.BeginRegion(types);
  std::vector<ValueId> next = body(parameters[0], {parameters.begin() + 1, parameters.end()});
  next.insert(next.begin(), e.Add(parameters[0], e.Constant(counter, 1)));
  regions.push_back(builder.EndRegion(std::move(next)));
  std::vector<ValueId> results =
      e.OpWithRegions(OpKind::kWhile, carried, NoAttributes{}, std::move(regions), carried.size());
  results.erase(results.begin());
  return results;
}

ValueId CountAt(Emitter& e, const LoopCounter& counter, DType dtype, ValueId iteration) {
  ValueId value = e.Convert(iteration, dtype);
  if (!e.ok()) return 0;
  const ValueId first = e.ConstantLike(value, static_cast<uint64_t>(counter.first));
  if (counter.step == -1) return e.Sub(first, value);
  if (counter.step != 1) {
    value = e.Mul(value, e.ConstantLike(value, static_cast<uint64_t>(counter.step)));
  }
  return counter.first == 0 ? value : e.Add(value, first);
}

ValueId EmptyStack(Emitter& e, const TensorType& element, int64_t count) {
  TensorType type = element;
  type.dims.insert(type.dims.begin(), count);
  return e.Constant(type, 0);
}

ValueId ReadStack(Emitter& e, ValueId stack, ValueId iteration) {
  if (!e.ok()) return 0;
  const TensorType type = e.TypeOf(stack);
  std::vector<ValueId> operands = IndexOf(e, type, iteration);
  operands.insert(operands.begin(), stack);
  DynamicSliceAttributes attributes;
  attributes.slice_sizes.assign(type.dims.begin(), type.dims.end());
  attributes.slice_sizes[0] = 1;
  const ValueId slice = e.Op(OpKind::kDynamicSlice, std::move(operands), std::move(attributes));
  return e.Reshape(slice, Dims(type.dims.begin() + 1, type.dims.end()));
}

ValueId WriteStack(Emitter& e, ValueId stack, ValueId iteration, ValueId element) {
  if (!e.ok()) return 0;
  const TensorType type = e.TypeOf(stack);
  Dims dims = type.dims;
  dims[0] = 1;
  std::vector<ValueId> operands = IndexOf(e, type, iteration);
  operands.insert(operands.begin(), {stack, e.Reshape(element, std::move(dims))});
  return e.Op(OpKind::kDynamicUpdateSlice, std::move(operands));
}

}  // namespace acceld::ir
