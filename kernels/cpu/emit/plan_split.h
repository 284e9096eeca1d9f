#pragma once

#include <cstddef>
#include <vector>

#include "kernels/ir/plan.h"

namespace acceld::kernels::cpu {

// What of a plan is translated together. Parts share nothing until they are linked, so that several
// threads translate them; those with what is called come after those with what calls it.
struct PlanSplit {
  std::vector<size_t> part_of_kernel;
  // Of the branches that a kernel takes rarely; the kernel's own if they have none of theirs.
  std::vector<size_t> part_of_rare;
  size_t num_parts = 1;
};

// Whether other functions may have the branch: it is rare, and all it leaves is in memory.
bool CanBeApart(const IfStatement& branch);

// Parts of about equal size, as many as make up for what each costs by itself. Says the same for a
// plan on every machine.
PlanSplit SplitPlan(const Plan& plan);

}  // namespace acceld::kernels::cpu
