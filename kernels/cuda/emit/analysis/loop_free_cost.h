#pragma once

#include <cstdint>

#include "absl/types/optional.h"
#include "kernels/ir/kernel.h"

namespace acceld::kernels::cuda {

// Returns the cost of executing `block` once, in units of a simple operation such as an addition;
// loads and stores cost nothing, and both alternatives of a branch count. Returns nullopt if there
// are loops.
absl::optional<int64_t> LoopFreeCostOf(const Block& block);

}  // namespace acceld::kernels::cuda
