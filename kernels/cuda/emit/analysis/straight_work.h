#pragma once

#include <cstdint>

#include "absl/types/optional.h"
#include "kernels/ir/kernel.h"

namespace acceld::kernels::cuda {

// What one run through `block` computes, in units of a simple operation such as an addition; loads
// and stores not counted. Nullopt when there are loops.
absl::optional<int64_t> StraightWorkOf(const Block& block);

}  // namespace acceld::kernels::cuda
