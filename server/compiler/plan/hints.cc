#include "server/compiler/plan/hints.h"

namespace acceld::compiler {

bool IsAlias(const ir::Function& function, const ir::Op& op) {
  if (op.kind == ir::OpKind::kReshape) return true;
  if (op.kind != ir::OpKind::kBitcastConvert) return false;
  const auto is_packed = [](ir::DType dtype) {
    return ir::BitsOf(dtype) == 8 * ir::StorageBytesOf(dtype);
  };
  return is_packed(function.TensorOf(op.operands[0]).dtype) &&
         is_packed(function.TensorOf(op.results[0]).dtype);
}

void PropagateHints(const ir::Function& function, const ir::Region& region,
                    const std::vector<BufferId>& wanted, std::vector<BufferId>& hints) {
  const auto wish = [&](ir::ValueId id, BufferId buffer) {
    if (hints[id] == kNoBuffer) hints[id] = buffer;
  };
  for (size_t i = 0; i < region.results.size(); ++i) wish(region.results[i], wanted[i]);
  for (size_t i = region.ops.size(); i-- > 0;) {
    const ir::Op& op = region.ops[i];
    if (op.kind == ir::OpKind::kWhile) {
      for (size_t r = 0; r < op.results.size(); ++r) wish(op.operands[r], hints[op.results[r]]);
    } else if (op.kind == ir::OpKind::kDynamicUpdateSlice || op.kind == ir::OpKind::kScatter) {
      // The op updates its operand in place if the operand is not needed afterwards.
      wish(op.operands[0], hints[op.results[0]]);
    } else if (IsAlias(function, op)) {
      wish(op.operands[0], hints[op.results[0]]);
    }
  }
}

}  // namespace acceld::compiler
