// Elementwise ops are the same for a batch. A scalar that is used for every element, such as the
// bound of a clamp, becomes one for each example.

#include "common/ir/transform/batching.h"

namespace acceld::ir {
namespace {

absl::Status BatchElementwise(Batching& b) {
  const Dims dims = b.result_type().dims;
  std::vector<ValueId> operands;
  for (size_t i = 0; i < b.num_operands(); ++i) {
    const bool is_scalar = b.operand_type(i).rank() == 0 && !dims.empty();
    if (!is_scalar) {
      operands.push_back(b.BatchedOperand(i));
    } else if (b.IsBatched(i)) {
      operands.push_back(b.emit.Broadcast(b.operand(i), b.BatchedResultType().dims, {0}));
    } else {
      operands.push_back(b.operand(i));
    }
  }
  b.SetOp(std::move(operands), b.op().attributes);
  return absl::OkStatus();
}

}  // namespace

#define ACCELD_OP(Kind, name, min_operands, max_operands, regions, Attributes, Infer, Family)
#define ACCELD_ELEMENTWISE_OP(Kind, name, arity, Attributes, Infer, Operands) \
  absl::Status Batch##Kind(Batching& b) { return BatchElementwise(b); }
#include "common/ir/ops.def"

}  // namespace acceld::ir
