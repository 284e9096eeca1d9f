#pragma once

#include <cstddef>
#include <vector>

#include "kernels/ir/plan.h"

namespace acceld::kernels::cpu {

// How the code of a plan is divided into parts. Each part becomes an LLVM module and then an
// object. Parts share nothing until they are linked, so that several threads can compile them. A
// part comes after those that call its functions.
struct PlanSplit {
  // The number of the part that each kernel is in.
  std::vector<size_t> part_of_kernel;
  // The number of the part that each kernel's rare branches are in: the kernel's own, unless they
  // are large enough for a separate part.
  std::vector<size_t> part_of_rare;
  size_t num_parts = 1;
};

// Returns whether a branch can be outlined into a function of another part: it is rare, and has no
// other effects than stores to memory.
bool CanBeOutlined(const IfStatement& branch);

// Divides a plan into parts of about equal size, each of which is large enough to be worth its
// fixed cost. The result is the same on every machine.
PlanSplit SplitPlan(const Plan& plan);

}  // namespace acceld::kernels::cpu
