#pragma once

#include <functional>
#include <vector>

#include "absl/types/optional.h"
#include "common/ir/module.h"
#include "common/ir/types/literal.h"
#include "common/status.h"

// Converts ops that take shapes as values (OpFamily::kDynamic) to static ops once those values are
// known: in specialization, and in the reference interpreter. Source: StableHLO specification, the
// sections of these ops, each of which is defined by a static op.
namespace acceld::ir {

// The static form of an op.
struct StaticForm {
  // An op of another family that computes the same. It has the results and regions of the original
  // and those of its operands that are not shapes.
  Op op;
  // The shape of the last result, if the values give it; otherwise it follows from the op.
  absl::optional<Dims> dims;
};

// Returns the static form of `op`, whose data operands must have static types in `function`.
// `value_of` returns the value of a shape operand, or nullptr if it is unknown, which is
// FAILED_PRECONDITION, naming the operand. INVALID_ARGUMENT for sizes out of range. `op` must be of
// the dynamic family.
absl::StatusOr<StaticForm> ToStaticForm(const Op& op, const Function& function,
                                        const std::function<const Literal*(ValueId)>& value_of);

}  // namespace acceld::ir
