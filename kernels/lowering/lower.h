#pragma once

#include <string>
#include <vector>

#include "absl/types/optional.h"
#include "common/ir/module.h"
#include "common/status.h"
#include "kernels/ir/kernel.h"

// Lowering: translates one op, or one fusion of ops, of a verified function with static shapes to
// kernel IR. There is one source file for each op family. The tables of lowerings come from
// ops.def, so an op without a lowering fails to link.
namespace acceld::kernels {

// The largest number of elements of a non-splat constant inside an op's regions; it becomes a chain
// of selects. Larger constants must be operands of the op.
inline constexpr int64_t kMaxInlineConstant = 8;

// The most pieces of a concatenation that one kernel copies, or that is part of a fusion: the time
// that it takes to compile a kernel grows faster than the kernel.
inline constexpr size_t kMaxConcatenatedPieces = 64;

// Consecutive operands of an op, by their numbers: those from `begin` on and before `end`.
struct OperandRange {
  size_t begin = 0, end = 0;
};

// The kernels that compute an op.
struct LoweredOp {
  // The kernels, to be run in order; none if all results are empty. The parameters of each are one
  // buffer for each of its operands, then one for each result of the op.
  std::vector<Kernel> kernels;
  // The operands of each kernel; if empty, each kernel has all operands of the op.
  std::vector<OperandRange> operands;
  // If set (for dynamic_update_slice and scatter), result 0 may use the memory of this operand;
  // then kernels[0], which only copies the operand to the result, must not be run.
  absl::optional<int> in_place_operand;
};

// Lowers `op`, which is of family Elementwise, Indexing, Nest or Contraction, a constant or a
// fusion. `name`, a C identifier, becomes the prefix of the kernels' names. Returns UNIMPLEMENTED,
// naming the op, for ops and types that have no lowering.
absl::StatusOr<LoweredOp> Lower(const ir::Function& function, const ir::Op& op,
                                const std::string& name);

// Whether `op` may be a producer inside a fusion, because single elements of its result can be
// computed from elements of its operands: elementwise and indexing ops, and constants whose
// elements are all the same. Not concatenations of more than kMaxConcatenatedPieces.
bool CanFuseAsProducer(const ir::Function& function, const ir::Op& op);
// Whether `op` may be the root of a loop fusion or of a reduction fusion.
bool CanFuseAsRoot(const ir::Function& function, const ir::Op& op);

}  // namespace acceld::kernels
