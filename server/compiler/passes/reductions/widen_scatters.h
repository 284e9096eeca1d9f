#pragma once

#include "common/ir/module.h"
#include "common/status.h"
#include "server/codegen/target.h"

namespace acceld::compiler {

// A pass that reduces the rounding errors of scatters that add, which round once for every update
// of an element. It makes scatters of narrow floats add in f32, and scatters with many updates for
// each element (as in sums over few segments) in a type of twice the width; the result is rounded
// once. It also widens select_and_scatter of narrow floats. Scatters with unique indices or with
// few updates stay as they are.
absl::StatusOr<ir::Module> WidenScatters(const ir::Module& module, const codegen::Target& target);

}  // namespace acceld::compiler
