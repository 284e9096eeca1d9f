#pragma once

#include <string>
#include <vector>

#include "absl/types/optional.h"
#include "common/ir/module.h"
#include "common/status.h"
#include "kernels/ir/kernel.h"

// Lowering: one op, or a fusion of ops, of a verified static function -> kernel IR. One file per op
// family; the tables come from ops.def, so an op without a lowering does not link.
namespace acceld::kernels {

// Dense constants inside an op's regions may have up to this many elements: they become a chain of
// selects. Larger ones must be operands.
inline constexpr int64_t kMaxInlineConstant = 8;

struct LoweredOp {
  // Run in order. All have the same parameters: one buffer for each operand of the op, then one for
  // each result.
  std::vector<Kernel> kernels;
  // Set when result 0 may occupy the place of this operand (dynamic_update_slice, scatter): when
  // the two share it, kernels[0], which only copies, must be left out.
  absl::optional<int> in_place_operand;
};

// `op` is of family Elementwise, Indexing, Nest or Contraction, or a Fusion. `name` becomes the
// prefix of the kernels' names. UNIMPLEMENTED for what has no lowering, naming the op and its
// types.
absl::StatusOr<LoweredOp> Lower(const ir::Function& function, const ir::Op& op,
                                const std::string& name);

// Whether `op` may be a producer inside a fusion: its elements can be computed one by one from
// those of its operands (elementwise, indexing and constants; not gather of huge windows and the
// like).
bool CanFuseAsProducer(const ir::Function& function, const ir::Op& op);
// Whether `op` may be the root of a loop fusion or of a reduction fusion.
bool CanFuseAsRoot(const ir::Function& function, const ir::Op& op);

}  // namespace acceld::kernels
