#pragma once

#include <cstddef>
#include <vector>

#include "absl/types/span.h"
#include "kernels/ir/plan.h"

namespace acceld::kernels::cpu {

// Divides steps into groups of consecutive ones, each small enough for an LLVM function of its own:
// the time that LLVM takes for one function grows faster than the function. Returns the number of
// steps of each group; one group if all of the steps are small enough together. A step that is too
// large because of the steps inside it counts little: those inside become functions of their own.
std::vector<size_t> GroupSteps(absl::Span<const Step> steps);

// Divides the branches of a step into groups of consecutive ones in the same way. Returns the
// number of branches of each group.
std::vector<size_t> GroupBranches(const SwitchStep& step);

}  // namespace acceld::kernels::cpu
