#pragma once

#include <cstddef>
#include <vector>

#include "kernels/ir/plan.h"

namespace acceld::kernels::cpu {

// Which kernels of a plan are translated together. Parts share nothing until they are linked, so
// that several threads translate them.
struct PlanSplit {
  std::vector<size_t> part_of_kernel;
  size_t num_parts = 1;
};

// Parts of about equal size, as many as make up for what each costs by itself. Says the same for a
// plan on every machine.
PlanSplit SplitPlan(const Plan& plan);

}  // namespace acceld::kernels::cpu
