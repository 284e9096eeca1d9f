#pragma once

#include <functional>
#include <vector>

#include "absl/types/optional.h"
#include "common/ir/module.h"
#include "common/ir/types/literal.h"
#include "common/status.h"

// Ops that take shapes as values (OpFamily::kDynamic), once those values are known. Used where a
// program is specialized, and by the reference interpreter. Source: StableHLO specification, the
// sections of these ops, each of which is defined by its static kin.
namespace acceld::ir {

struct StaticForm {
  // The op of another family that does the same: its results and regions are those of the
  // original, its operands those that are no shapes.
  Op op;
  // The last result's shape, where the values say it; otherwise it follows from the op.
  absl::optional<Dims> dims;
};

// The static form of `op`, whose data operands have static types in `function`. `value_of` gives
// the value of a shape operand or nullptr while it is unknown, which is FAILED_PRECONDITION, naming
// the operand. Sizes out of range are INVALID_ARGUMENT. CHECKs that the op is of the dynamic
// family.
absl::StatusOr<StaticForm> ToStaticForm(const Op& op, const Function& function,
                                        const std::function<const Literal*(ValueId)>& value_of);

}  // namespace acceld::ir
