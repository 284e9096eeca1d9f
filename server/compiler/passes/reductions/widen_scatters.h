#pragma once

#include "common/ir/module.h"
#include "common/status.h"
#include "server/codegen/target.h"

namespace acceld::compiler {

// Scatters that add round once for each update that an element gets. Where elements are of narrow
// floats they are added in f32 instead, and where each gets many updates, as in sums of a few
// segments, in a type of twice the width; the result is rounded once. The same holds for
// select_and_scatter of narrow floats. A scatter whose indices are unique, or of few updates, stays
// as it is.
absl::StatusOr<ir::Module> WidenScatters(const ir::Module& module, const codegen::Target& target);

}  // namespace acceld::compiler
