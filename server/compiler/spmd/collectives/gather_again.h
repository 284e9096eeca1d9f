#pragma once

#include "common/ir/module.h"
#include "common/status.h"

namespace acceld::compiler::spmd {

// A pass that gathers values again instead of keeping them. A value that an all_gather makes, a
// weight whose shards the processes have for example, is used in the forward pass of a training
// step and, much later, in its backward pass. Where all such values together take a large part of
// the memory in use when most of it is in use, they are forgotten in between: another all_gather of
// the same operands stands before the later uses. What is not used before that place is gathered
// there only, apart from the values with which it was combined. Source: Rajbhandari et al., "ZeRO:
// Memory Optimizations Toward Training Trillion Parameter Models", 2020, stage 3.
//
// The pass stands at the end of the pipeline, since fused ops show which values really need
// memory, and since common subexpressions would be merged.
absl::StatusOr<ir::Module> GatherAgain(const ir::Module& module);

}  // namespace acceld::compiler::spmd
