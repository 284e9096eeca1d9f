#pragma once

#include <cstdint>

#include "kernels/cpu/support_abi.h"

namespace acceld::kernels::cpu {

// Calls `function(frame, tile)` for every tile in [0, num_tiles) on up to context->num_threads
// threads: the calling one and idle helpers of context->runtime. Inside a tile of another parallel
// loop, all tiles run on the calling thread. Blocks until all tiles are done. Returns a CodeStatus:
// early with that of a tile that failed, or with kCancelled if the run has to end. While the run
// pauses, the call waits between two tiles and occupies no helper. A ParallelForFunction
// (support_abi.h).
int32_t ParallelFor(const LaunchContext* context, TileFunction function, const void* frame,
                    int64_t num_tiles);

// The same for a frame of pointers: tiles are called as function(pointers..., tile). A
// ParallelForPointersFunction (support_abi.h).
int32_t ParallelForPointers(const LaunchContext* context, void* const* frame, int64_t num_pointers,
                            int64_t num_tiles);

}  // namespace acceld::kernels::cpu
