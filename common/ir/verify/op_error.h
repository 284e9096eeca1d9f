#pragma once

#include "common/ir/module.h"
#include "common/status.h"

namespace acceld::ir {

// Returns the error as one about this op: with the op's line before its message, if the line is
// known, and with the op's number (common/op_origin.h). An error that names an op already keeps
// that one, since the innermost op is the most informative. OK stays OK.
absl::Status AtOp(const absl::Status& status, const Op& op);

}  // namespace acceld::ir
