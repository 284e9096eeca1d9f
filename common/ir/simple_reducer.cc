#include "common/ir/simple_reducer.h"

namespace acceld::ir {
namespace {

bool IsAssociative(OpKind kind, DType dtype) {
  // A product of complex numbers mixes real and imaginary parts.
  if (kind == OpKind::kMultiply) return !IsComplex(dtype);
  if (kind == OpKind::kMaximum || kind == OpKind::kMinimum) return !IsComplex(dtype);
  return kind == OpKind::kAdd || kind == OpKind::kAnd || kind == OpKind::kOr ||
         kind == OpKind::kXor;
}

}  // namespace

bool IsSimpleReducer(const Function& function, const Region& region) {
  const size_t n = region.results.size();
  if (region.parameters.size() != 2 * n || region.ops.size() != n) return false;
  for (size_t i = 0; i < n; ++i) {
    const Op* definition = nullptr;
    for (const Op& op : region.ops) {
      if (op.results.size() == 1 && op.results[0] == region.results[i]) definition = &op;
    }
    if (definition == nullptr || definition->operands.size() != 2) return false;
    if (!IsAssociative(definition->kind, function.TensorOf(region.results[i]).dtype)) return false;
    const ValueId accumulator = region.parameters[i];
    const ValueId element = region.parameters[n + i];
    const std::vector<ValueId>& used = definition->operands;
    if (!((used[0] == accumulator && used[1] == element) ||
          (used[0] == element && used[1] == accumulator))) {
      return false;
    }
  }
  return true;
}

}  // namespace acceld::ir
