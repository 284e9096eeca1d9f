#pragma once

#include <vector>

#include "absl/types/span.h"
#include "common/ir/literal.h"
#include "common/status.h"
#include "kernels/ir/plan.h"

namespace acceld::compiler {

// Runs a plan on host memory with the kernel interpreter: the meaning of plans, slow and obvious.
// Fresh memory is filled with garbage, arguments and constants are checked to be unwritten, and
// every slice must lie inside its space; INTERNAL otherwise.
absl::StatusOr<std::vector<ir::Literal>> RunPlan(const kernels::Plan& plan,
                                                 absl::Span<const ir::Literal> arguments);

}  // namespace acceld::compiler
