// Library routines, ops that the compiler replaces by others, ops with dynamic shapes, and ops that
// concern several processes.

#include "common/ir/transform/batching.h"

namespace acceld::ir {

// These take any number of dimensions before the matrix, or before those of the transform.
absl::Status BatchCholesky(Batching& b) {
  b.SetOp({b.operand(0)}, b.op().attributes);
  return absl::OkStatus();
}
absl::Status BatchFft(Batching& b) {
  b.SetOp({b.operand(0)}, b.op().attributes);
  return absl::OkStatus();
}
absl::Status BatchTriangularSolve(Batching& b) {
  b.SetOp(b.BatchedOperands(), b.op().attributes);
  return absl::OkStatus();
}

absl::Status BatchRng(Batching& b) { return b.OneByOne(); }
absl::Status BatchRngBitGenerator(Batching& b) { return b.OneByOne(); }
absl::Status BatchTorchIndexSelect(Batching& b) { return b.OneByOne(); }

// Its region is applied to each element.
absl::Status BatchMap(Batching& b) {
  if (b.RegionsCaptureBatched()) return b.OneByOne();
  auto attributes = b.As<DimensionsAttributes>();
  attributes.dimensions.push_back(static_cast<int64_t>(attributes.dimensions.size()));
  b.SetOpWithRegions(b.BatchedOperands(), std::move(attributes));
  return absl::OkStatus();
}

#define ACCELD_OP(Kind, name, min_operands, max_operands, regions, Attributes, Infer, Family)
#define ACCELD_DYNAMIC_OP(Kind, name, min_operands, max_operands, regions, Attributes, Infer) \
  absl::Status Batch##Kind(Batching& b) {                                                     \
    return b.Refuse("its shape must be known first; specialize the function");                \
  }
#define ACCELD_COLLECTIVE_OP(Kind, name, min_operands, max_operands, regions, Attributes, Infer) \
  absl::Status Batch##Kind(Batching& b) {                                                        \
    return b.Refuse("functions are vectorized before they are distributed over devices");        \
  }
#define ACCELD_SHARDING_OP ACCELD_COLLECTIVE_OP
#include "common/ir/ops.def"

}  // namespace acceld::ir
