#pragma once

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "common/status.h"

namespace acceld::compiler {

// The lifetime of a temporary buffer: it exists from step `first` to step `last`, both included.
struct Interval {
  int64_t size_bytes = 0;
  int32_t first = 0, last = 0;
};

// The result of LayOutArena.
struct ArenaLayout {
  std::vector<int64_t> offsets;  // of the buffer in the arena, by interval
  int64_t size_bytes = 0;        // of the arena
  // The most bytes of buffers that exist at the same time: a lower bound on the size of any layout.
  int64_t live_bytes = 0;
};

// Assigns offsets in one block of memory (the arena) to buffers, so that buffers that exist at the
// same time do not overlap. Offsets are multiples of kernels::kBufferAlignment. Returns
// RESOURCE_EXHAUSTED if the arena would be larger than 2^60 bytes.
//
// The function first places buffers in the order of their first step, each in the smallest gap that
// is large enough. If the result is larger than live_bytes and there are not too many buffers, it
// also tries the orders by size, by size times lifetime, and by lifetime, with each buffer at the
// lowest possible offset, and returns the smallest layout (Pisarchyk and Lee, "Efficient Memory
// Management for Deep Neural Net Inference", 2020).
absl::StatusOr<ArenaLayout> LayOutArena(absl::Span<const Interval> intervals);

}  // namespace acceld::compiler
