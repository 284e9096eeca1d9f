#pragma once

#include "absl/types/span.h"
#include "common/ir/module.h"
#include "common/ir/types/literal.h"
#include "common/status.h"
#include "kernels/ir/plan.h"

namespace acceld::compiler {

// What the compiler makes of @main for these arguments and a target like a GPU without libraries:
// all but routines becomes kernels.
absl::StatusOr<kernels::Plan> PlanOfKernels(const ir::Module& module,
                                            absl::Span<const ir::Literal> arguments);

}  // namespace acceld::compiler
