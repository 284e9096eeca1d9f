#pragma once

#include "kernels/ir/kernel.h"

// Estimates how long a piece of kernel IR runs, to decide what is worth several threads and where
// to poll.
namespace acceld::kernels::cpu {

// Where the elements of buffers are when a kernel begins.
enum class Elements {
  kInMemory,
  kInCache,  // of the core; cheap operations are then as fast as vectors make them
};

// Returns the estimated time of `block`, in units of about 0.05 ns on one core: a vectorized f32
// addition of one element is 1 while it has to wait for memory.
double EstimateWork(const Kernel& kernel, const Block& block,
                    Elements elements = Elements::kInMemory);

// Returns whether the loop has enough work to be divided among threads.
bool IsWorthThreads(const Kernel& kernel, const ForStatement& loop);
// The work of one tile, the piece that a thread takes at a time, unless the loop is very long.
inline constexpr double kTileWork = 4e5;

// The most work between two polls of whether the run is interrupted: 0.2 ms, and in the worst case,
// where loops are not vectorized and loads miss the caches, some ten milliseconds.
inline constexpr double kPollWork = 4e6;
// The least work of an iteration that ends with a poll: the cost of the poll is then negligible.
inline constexpr double kMinPolledWork = 2e4;

}  // namespace acceld::kernels::cpu
