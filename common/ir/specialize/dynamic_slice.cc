#include "common/ir/specialize/dynamic_slice.h"

#include <utility>

namespace acceld::ir {
namespace {

ValueId Append(OpKind kind, ValueId operand, OpAttributes attributes, TensorType type,
               Location location, Function& function, std::vector<Op>& ops) {
  const auto result = static_cast<ValueId>(function.value_types.size());
  function.value_types.push_back(std::move(type));
  Op op;
  op.kind = kind;
  op.attributes = std::move(attributes);
  op.operands = {operand};
  op.results = {result};
  op.location = location;
  ops.push_back(std::move(op));
  return result;
}

}  // namespace

void WriteAsDynamicSlice(std::vector<int64_t> sizes, Op& op, Function& function,
                         std::vector<Op>& ops) {
  const ValueId start = op.operands[1];
  const DType dtype = function.TensorOf(start).dtype;
  std::vector<ValueId> operands = {op.operands[0]};
  for (size_t i = 0; i < sizes.size(); ++i) {
    const auto index = static_cast<int64_t>(i);
    const ValueId element =
        Append(OpKind::kSlice, start, SliceAttributes{{index}, {index + 1}, {1}},
               TensorType{dtype, {1}}, op.location, function, ops);
    operands.push_back(Append(OpKind::kReshape, element, NoAttributes{}, TensorType{dtype, {}},
                              op.location, function, ops));
  }
  op.kind = OpKind::kDynamicSlice;
  op.attributes = DynamicSliceAttributes{std::move(sizes)};
  op.operands = std::move(operands);
}

}  // namespace acceld::ir
