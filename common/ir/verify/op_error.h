#pragma once

#include "common/ir/module.h"
#include "common/status.h"

namespace acceld::ir {

// The error as one about this op: with the op's line before its message, if that is known, and with
// the op's number (common/op_origin.h). An error that names an op already keeps it, as the
// innermost op says most. OK stays OK.
absl::Status AtOp(const absl::Status& status, const Op& op);

}  // namespace acceld::ir
