#pragma once

#include <cstdint>

#include "kernels/cpu/support_abi.h"

namespace acceld::kernels::cpu {

// Calls `function(frame, tile)` for every tile in [0, num_tiles) on up to context->num_threads
// threads: the calling one and those of the HelperPool that are free. A call from inside a tile
// runs on its own thread. Returns when all are done; early with the status of a tile that failed,
// and with kCancelled when the run is cancelled. While the run pauses, it waits between two tiles
// and keeps no helper.
int32_t ParallelFor(const LaunchContext* context, TileFunction function, const void* frame,
                    int64_t num_tiles);

// The same for tiles that are functions of pointers and the tile (ParallelForPointersFunction).
int32_t ParallelForPointers(const LaunchContext* context, void* const* frame, int64_t num_pointers,
                            int64_t num_tiles);

}  // namespace acceld::kernels::cpu
