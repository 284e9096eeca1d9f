#pragma once

#include "common/ir/module.h"
#include "common/status.h"

namespace acceld::ir {

// Checks the composites that have rules of their own (composite_rule.h) in a module that somebody
// may have written by hand: that functions of CHLO have operands and results as CHLO says, and
// custom rules (custom_rules.h) the attributes, and these the functions, that differentiation and
// vectorization expect. `module` must be verified. Returns INVALID_ARGUMENT with the function, the
// composite and what is wrong.
absl::Status CheckComposites(const Module& module);

}  // namespace acceld::ir
