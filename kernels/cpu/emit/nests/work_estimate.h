#pragma once

#include "kernels/ir/kernel.h"

// How much a piece of kernel IR costs, to decide what is worth several threads.
namespace acceld::kernels::cpu {

// Units of about 0.05 ns on one core: a vectorized f32 addition of one element is 1.
double EstimateWork(const Kernel& kernel, const Block& block);

// From this much on (0.1 ms), a parallel loop is spread over threads: waking one takes up to 50 us.
inline constexpr double kMinParallelWork = 2e6;
// The work of one tile, the piece that a thread takes at a time.
inline constexpr double kTileWork = 4e5;

// The most work between two polls of whether the run is interrupted: 0.2 ms, and at worst, where
// loops are not vectorized and loads miss the caches, some ten milliseconds.
inline constexpr double kPollWork = 4e6;
// From this much work an iteration of a loop may poll: what that costs is lost in it.
inline constexpr double kMinPolledWork = 2e4;

}  // namespace acceld::kernels::cpu
